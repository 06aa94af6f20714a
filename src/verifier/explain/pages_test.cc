#include "verifier/explain/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "nt/boundary/functions.h"

namespace verifier {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> found(std::string_view name) {
  std::vector<std::string> names;
  for (const Page* page : find_pages(name)) names.push_back(page->name);
  return names;
}

TEST(Pages, EveryRowIsWellFormed) {
  std::regex path("ddi/([a-z0-9_]+)/n[cf]-\\1-[a-z0-9_~-]+"), since("(Windows [A-Za-z0-9. ()]+)?");
  std::set<std::string> names;
  for (const Page& page : all_pages()) {
    EXPECT_TRUE(names.insert(page.name).second) << page.name << " is there twice";
    EXPECT_TRUE(std::regex_match(page.path, path)) << page.path;
    EXPECT_TRUE(std::regex_match(page.since, since)) << page.name << ": " << page.since;
  }
  EXPECT_GT(names.size(), 2000u);
}

// Functions that stand behind a documented one, or whose page is in none of the folders, are left out.
TEST(Pages, HaveNearlyEveryFunctionOfTheMachine) {
  size_t missing = 0;
  for (const nt::FunctionRow& row : nt::kFunctions) missing += find_pages(row.name).empty();
  EXPECT_LT(missing, nt::kFunctionCount / 10);
}

// pages.csv was made from the documentation itself: a function's page that is not in it does not exist. It has no
// methods of interfaces (nf-ks-iks…).
TEST(Pages, EveryTableNamesPagesThatExist) {
  struct Table {
    const char* file;
    const char* folder;  // of its pages, where the table leaves it out
  };
  std::regex page("\"((?:[a-z0-9]+/)?n[cf]-[a-z0-9_-]+)\"");
  size_t seen = 0;
  for (const Table& table : {Table{"ks/exports/functions.def", "ks/"}, Table{"ks/exports/ddi.def", "ks/"},
                             Table{"dxgk/ddi/ddi.def", ""}, Table{"dxgk/ddi/callbacks.def", ""}}) {
    std::ifstream file(std::string(DRYDOCK_SOURCE_DIR) + "/src/" + table.file);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (std::sregex_iterator at(text.begin(), text.end(), page), end; at != end; ++at, ++seen) {
      if ((*at)[1].str().starts_with("nf-ks-iks")) continue;
      EXPECT_NE(page_at("ddi/" + (table.folder + (*at)[1].str())), nullptr) << table.file << ": " << (*at)[1];
    }
  }
  EXPECT_GT(seen, 400u);
}

TEST(Pages, AreFoundByPath) {
  ASSERT_NE(page_at("ddi/wdm/nf-wdm-kesetevent"), nullptr);
  EXPECT_STREQ(page_at("ddi/wdm/nf-wdm-kesetevent")->name, "KeSetEvent");
  EXPECT_EQ(page_at("ddi/wdm/nf-wdm-kesetevent")->header(), "wdm.h");
  EXPECT_EQ(page_at("kernel/spin-locks"), nullptr);
}

TEST(Pages, AreFoundByExactName) {
  EXPECT_EQ(page_named("KeSetEvent"), page_at("ddi/wdm/nf-wdm-kesetevent"));
  EXPECT_EQ(page_named("kesetevent"), nullptr);
}

TEST(Pages, AreFoundByTheNamesThatPeopleUse) {
  EXPECT_THAT(found("kesetevent"), ElementsAre("KeSetEvent"));
  EXPECT_THAT(found("DxgkDdiCreateAllocation"), ElementsAre("DxgkDdiCreateAllocation"));
  EXPECT_THAT(found("DXGKDDI_CREATEALLOCATION"), ElementsAre("DxgkDdiCreateAllocation"));
  EXPECT_THAT(found("DxgkDdiOpenAllocation"), ElementsAre("DxgkDdiOpenAllocation"))
      << "the page's type has another name";
  EXPECT_THAT(found("DxgkCbAcquireHandleData"), ElementsAre("DXGKCB_ACQUIREHANDLEDATA"));
  EXPECT_THAT(found("D3DKMTDestroyAllocation2"), ElementsAre("D3DKMTDestroyAllocation2"));
  EXPECT_THAT(found("pfnDeallocateCb"), ElementsAre("PFND3DDDI_DEALLOCATECB"));
  EXPECT_THAT(found("PFNKSPINIRP"), ElementsAre("PFNKSPINIRP"));
  EXPECT_THAT(found("KsPinAttemptProcessing"), ElementsAre("KsPinAttemptProcessing"));
  EXPECT_GE(found("pfnDestroyResource").size(), 2u) << "Direct3D 9 and 10 have one each";
  EXPECT_THAT(found("NoSuchFunction"), ElementsAre());
  EXPECT_THAT(found(""), ElementsAre());
}

}  // namespace
}  // namespace verifier

#include "host/run/scenario.h"

#include <gtest/gtest.h>

#include <set>

namespace host {
namespace {

TEST(ScenarioTest, EveryScenarioIsFoundByItsNameAlone) {
  for (const Scenario& scenario : all_scenarios()) {
    auto found = find_scenarios(scenario.name);
    ASSERT_EQ(found.size(), 1u) << scenario.name;
    EXPECT_EQ(found[0], &scenario);
  }
}

TEST(ScenarioTest, EveryScenarioHasAFolderAStoryAndABody) {
  std::set<std::string> names;
  for (const Scenario& scenario : all_scenarios()) {
    const std::string name = scenario.name;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_NE(name.find('/'), std::string::npos) << name;
    EXPECT_NE(std::string(scenario.story), "") << name;
    EXPECT_TRUE(scenario.run) << name;
  }
}

TEST(ScenarioTest, APatternFindsWhatItMatchesInTheOrderOfAll) {
  auto all = find_scenarios("*");
  ASSERT_EQ(all.size(), all_scenarios().size());
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], &all_scenarios()[i]);
  auto nt = find_scenarios("nt/*");
  EXPECT_FALSE(nt.empty());
  EXPECT_LT(nt.size(), all.size());
  for (const Scenario* scenario : nt) EXPECT_TRUE(std::string(scenario->name).starts_with("nt/")) << scenario->name;
}

TEST(ScenarioTest, AnUnknownNameFindsNothing) {
  for (const char* name : {"", "nt", "nt/load-unloa", "NT/LOAD-UNLOAD", "no/such-thing"}) {
    EXPECT_TRUE(find_scenarios(name).empty()) << name;
  }
}

}  // namespace
}  // namespace host

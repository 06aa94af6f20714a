#include "nt/boundary/functions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace nt {
namespace {

TEST(Functions, LimitsAreIntervalsOfKnownLevels) {
  const std::set<int> levels = {0, 1, 2, 15};
  for (const FunctionRow& each : kFunctions) {
    EXPECT_LE(each.min_irql, each.max_irql) << each.name;
    EXPECT_TRUE(levels.count(each.min_irql)) << each.name;
    EXPECT_TRUE(levels.count(each.max_irql)) << each.name;
  }
}

TEST(Functions, NamesAreUnique) {
  std::set<std::string> names;
  for (const FunctionRow& each : kFunctions) EXPECT_TRUE(names.insert(each.name).second) << each.name;
}

TEST(Functions, EveryRowNamesAFunctionPage) {
  for (const FunctionRow& each : kFunctions) {
    const std::string page = each.page;
    const size_t slash = page.find('/');
    ASSERT_NE(slash, std::string::npos) << each.name;
    const std::string header = page.substr(0, slash);
    const bool function = page.rfind(header + "/nf-" + header + "-", 0) == 0;
    const bool slot = page.rfind(header + "/nc-" + header + "-", 0) == 0;
    EXPECT_TRUE(function || slot) << each.name << ": " << page;
  }
}

TEST(Functions, EveryFnLeadsToItsOwnRow) {
#define NT_FUNCTION(fn, min_irql, max_irql, page) \
  EXPECT_STREQ(row(Fn::fn).name, #fn);            \
  EXPECT_EQ(find_function(#fn), Fn::fn);
#include "nt/boundary/functions.def"
#undef NT_FUNCTION
}

TEST(Functions, UnknownNamesAreNotFound) {
  EXPECT_EQ(find_function("KeSetEven"), std::nullopt);
  EXPECT_EQ(find_function("KeSetEventX"), std::nullopt);
  EXPECT_EQ(find_function("kesetevent"), std::nullopt);
  EXPECT_EQ(find_function(""), std::nullopt);
}

TEST(Functions, LimitsOfAFewByHand) {
  EXPECT_EQ(row(Fn::KeFlushQueuedDpcs).max_irql, 0);
  EXPECT_EQ(row(Fn::KeDelayExecutionThread).max_irql, 1);
  EXPECT_EQ(row(Fn::KeReleaseSpinLock).min_irql, 2);
  EXPECT_EQ(row(Fn::KeReleaseSpinLock).max_irql, 2);
  EXPECT_EQ(row(Fn::ExReleaseFastMutex).min_irql, 1);
  EXPECT_EQ(row(Fn::KeInsertQueueDpc).max_irql, 15);
  EXPECT_STREQ(row(Fn::KeSetEvent).page, "wdm/nf-wdm-kesetevent");
}

}  // namespace
}  // namespace nt

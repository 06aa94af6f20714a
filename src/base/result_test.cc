#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace base {
namespace {

Result<int> positive(int value) {
  if (value <= 0) return Failure(STATUS_INVALID_PARAMETER, "the value is not positive");
  return value;
}

Result<> require_positive(int value) {
  TRY(positive(value));
  return {};
}

Result<std::string> doubled(int value) {
  TRY(require_positive(value));
  int first = TRY(positive(value));
  return std::to_string(first + TRY(positive(TRY(positive(value)))));
}

TEST(Result, ValuePassesThroughTry) { EXPECT_EQ(doubled(21).take(), "42"); }

TEST(Result, FailureKeepsCodeSentenceAndPlaceThroughTry) {
  Failure origin = positive(0).failure();
  Result<std::string> result = doubled(0);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status(), STATUS_INVALID_PARAMETER);
  EXPECT_STREQ(result.failure().why(), "the value is not positive");
  EXPECT_STREQ(result.failure().where().file, __FILE__);
  EXPECT_EQ(result.failure().where().line, origin.where().line);
}

TEST(Result, SuccessIsSuccess) {
  EXPECT_EQ(positive(1).status(), STATUS_SUCCESS);
  EXPECT_EQ(require_positive(1).status(), STATUS_SUCCESS);
  EXPECT_EQ(require_positive(-1).status(), STATUS_INVALID_PARAMETER);
}

Result<std::unique_ptr<int>> boxed(int value) { return std::make_unique<int>(TRY(positive(value))); }

Result<int> unboxed(int value) {
  std::unique_ptr<int> box = TRY(boxed(value));
  return *box;
}

TEST(Result, MoveOnlyValuePassesThroughTry) {
  EXPECT_EQ(unboxed(5).take(), 5);
  EXPECT_FALSE(unboxed(0).ok());
}

TEST(ResultDeathTest, ValueOfAFailureAborts) {
  EXPECT_DEATH(static_cast<void>(positive(0).take()), "CHECK\\(ok\\(\\)\\) failed");
  EXPECT_DEATH(static_cast<void>(positive(1).failure()), "CHECK\\(!ok\\(\\)\\) failed");
}

TEST(ResultDeathTest, FailureWithASuccessCodeAborts) {
  EXPECT_DEATH(static_cast<void>(Failure(STATUS_SUCCESS, "")), "CHECK\\(code < 0\\) failed");
}

enum class Fault { None, Stale };

TEST(Expected, HoldsAValueOrAReason) {
  Expected<std::string, Fault> value(std::string("seven"));
  Expected<std::string, Fault> fault(Fault::Stale);
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(value.take(), "seven");
  EXPECT_FALSE(fault.ok());
  EXPECT_EQ(fault.error(), Fault::Stale);
}

}  // namespace
}  // namespace base

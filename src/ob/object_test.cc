#include "ob/object.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "ob/testing/test_object.h"
#include "ob/unpublished_object.h"

namespace ob {
namespace {

class ObjectTest : public testing::Test {
 protected:
  UnpublishedObject<TestDevice> device() { return TestDevice::create(ordinals_, log_); }

  Ordinals ordinals_;
  TestObjectLog log_;
};

TEST_F(ObjectTest, LastHandleIsAnEventOfItsOwnThoughReferencesRemain) {
  std::optional<UnpublishedObject<TestDevice>> fresh = device();
  base::Ref<TestDevice> kept = fresh->ref();
  EXPECT_EQ(kept->handle_count(), 1u);
  fresh.reset();
  EXPECT_EQ(kept->handle_count(), 0u);
  EXPECT_EQ(log_.last_handles, 1u);
  EXPECT_EQ(log_.deaths, 0u);
}

TEST_F(ObjectTest, AFreshThatIsNeverPublishedEndsItsObjectProperly) {
  { UnpublishedObject<TestDevice> fresh = device(); }
  EXPECT_EQ(log_.last_handles, 1u);
  EXPECT_EQ(log_.deaths, 1u);
}

TEST_F(ObjectTest, TheLastOfSeveralHandlesCounts) {
  std::optional<UnpublishedObject<TestDevice>> first = device();
  std::optional<UnpublishedObject<TestDevice>> second = UnpublishedObject<TestDevice>::open(**first);
  ASSERT_TRUE(second);
  first.reset();
  EXPECT_EQ(log_.last_handles, 0u);
  second.reset();
  EXPECT_EQ(log_.last_handles, 1u);
}

TEST_F(ObjectTest, NoHandleOpensAfterTheLastHasGone) {
  std::optional<UnpublishedObject<TestDevice>> fresh = device();
  base::Ref<TestDevice> kept = fresh->ref();
  fresh.reset();
  EXPECT_FALSE(UnpublishedObject<TestDevice>::open(*kept));
  EXPECT_EQ(log_.last_handles, 1u);
}

TEST_F(ObjectTest, FreshMovesAndConvertsWithoutClosing) {
  UnpublishedObject<TestDevice> fresh = device();
  UnpublishedObject<TestDevice> moved = std::move(fresh);
  std::optional<UnpublishedObject<Object>> general = UnpublishedObject<Object>(std::move(moved));
  EXPECT_EQ(log_.last_handles, 0u);
  EXPECT_EQ((*general)->kind(), ObjectKind::Device);
  general = device();
  EXPECT_EQ(log_.last_handles, 1u);  // the assignment closed the one before
}

TEST_F(ObjectTest, OrdinalsCountPerKindFromOne) {
  UnpublishedObject<TestDevice> first = device();
  UnpublishedObject<TestEvent> event = TestEvent::create(ordinals_, log_);
  UnpublishedObject<TestDevice> second = device();
  EXPECT_EQ(first->ordinal(), 1u);
  EXPECT_EQ(event->ordinal(), 1u);
  EXPECT_EQ(second->ordinal(), 2u);
}

using ObjectDeathTest = ObjectTest;

TEST_F(ObjectDeathTest, DyingWithAnOpenHandleIsOurMistake) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(static_cast<void>(base::Ref<TestDevice>::adopt(device().leak())), "dies with an open handle");
}

TEST(ObjectKindTest, NamesAreDistinct) {
  std::set<std::string> names;
  uint32_t named = 0;
  for (uint32_t number = 0; number < kKindLimit; ++number) {
    std::string name = kind_name(static_cast<ObjectKind>(number));
    if (name == "unknown") continue;
    ++named;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), named);
  EXPECT_STREQ(kind_name(ObjectKind::HwQueue), "hw-queue");
  EXPECT_EQ(static_cast<uint8_t>(ObjectKind::HwQueue), 15);
}

}  // namespace
}  // namespace ob

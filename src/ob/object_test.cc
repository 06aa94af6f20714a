#include "ob/object.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "ob/fresh.h"
#include "ob/probe_for_test.h"

namespace ob {
namespace {

class ObjectTest : public testing::Test {
 protected:
  Fresh<DeviceProbe> device() { return DeviceProbe::create(ordinals_, log_); }

  Ordinals ordinals_;
  ProbeLog log_;
};

TEST_F(ObjectTest, LastHandleIsAnEventOfItsOwnThoughReferencesRemain) {
  std::optional<Fresh<DeviceProbe>> fresh = device();
  base::Ref<DeviceProbe> kept = fresh->ref();
  EXPECT_EQ(kept->handle_count(), 1u);
  fresh.reset();
  EXPECT_EQ(kept->handle_count(), 0u);
  EXPECT_EQ(log_.last_handles, 1u);
  EXPECT_EQ(log_.deaths, 0u);
}

TEST_F(ObjectTest, AFreshThatIsNeverPublishedEndsItsObjectProperly) {
  { Fresh<DeviceProbe> fresh = device(); }
  EXPECT_EQ(log_.last_handles, 1u);
  EXPECT_EQ(log_.deaths, 1u);
}

TEST_F(ObjectTest, TheLastOfSeveralHandlesCounts) {
  std::optional<Fresh<DeviceProbe>> first = device();
  std::optional<Fresh<DeviceProbe>> second = Fresh<DeviceProbe>::open(**first);
  ASSERT_TRUE(second);
  first.reset();
  EXPECT_EQ(log_.last_handles, 0u);
  second.reset();
  EXPECT_EQ(log_.last_handles, 1u);
}

TEST_F(ObjectTest, NoHandleOpensAfterTheLastHasGone) {
  std::optional<Fresh<DeviceProbe>> fresh = device();
  base::Ref<DeviceProbe> kept = fresh->ref();
  fresh.reset();
  EXPECT_FALSE(Fresh<DeviceProbe>::open(*kept));
  EXPECT_EQ(log_.last_handles, 1u);
}

TEST_F(ObjectTest, FreshMovesAndConvertsWithoutClosing) {
  Fresh<DeviceProbe> fresh = device();
  Fresh<DeviceProbe> moved = std::move(fresh);
  std::optional<Fresh<Object>> general = Fresh<Object>(std::move(moved));
  EXPECT_EQ(log_.last_handles, 0u);
  EXPECT_EQ((*general)->kind(), ObjectKind::Device);
  general = device();
  EXPECT_EQ(log_.last_handles, 1u);  // the assignment closed the one before
}

TEST_F(ObjectTest, OrdinalsCountPerKindFromOne) {
  Fresh<DeviceProbe> first = device();
  Fresh<EventProbe> event = EventProbe::create(ordinals_, log_);
  Fresh<DeviceProbe> second = device();
  EXPECT_EQ(first->ordinal(), 1u);
  EXPECT_EQ(event->ordinal(), 1u);
  EXPECT_EQ(second->ordinal(), 2u);
}

using ObjectDeathTest = ObjectTest;

TEST_F(ObjectDeathTest, DyingWithAnOpenHandleIsOurMistake) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(static_cast<void>(base::Ref<DeviceProbe>::adopt(device().leak())), "dies with an open handle");
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

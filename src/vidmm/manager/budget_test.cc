#include "vidmm/manager/budget.h"

#include <gtest/gtest.h>

#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::aperture_segment;
using testing::kPage;
using testing::Memory;
using testing::memory_segment;

constexpr MemoryGroup kLocal = MemoryGroup::Local;

TEST(Budget, AloneAProcessHasEverything) {
  Memory memory({memory_segment(1, 8), aperture_segment(2, 4)});
  DeviceResidency& device = memory.device();
  memory.make_resident(device, {&memory.block(3, {1}), &memory.block(1, {2})});
  VideoMemoryInfo info = memory.manager.budgets().query(memory.process, kLocal);
  EXPECT_EQ(info.budget, 8 * kPage);
  EXPECT_EQ(info.usage, 3 * kPage);
  EXPECT_EQ(info.available_for_reservation, 4 * kPage);
  EXPECT_EQ(memory.manager.budgets().query(memory.process, MemoryGroup::NonLocal).usage, kPage);
}

TEST(Budget, UsageFollowsTheBlockAndCountsEachProcessOnce) {
  Memory memory({memory_segment(1, 4), aperture_segment(2, 4)});
  DeviceResidency& first = memory.device();
  DeviceResidency& second = memory.device();
  Block& block = memory.block(3, {1, 2});
  memory.make_resident(first, {&block});
  memory.make_resident(second, {&block});
  EXPECT_EQ(memory.process.usage(kLocal), 3 * kPage);
  Block& demoted = memory.block(2, {1, 2});
  memory.make_resident(first, {&demoted});
  EXPECT_EQ(memory.process.usage(MemoryGroup::NonLocal), 2 * kPage);
  memory.evict(first, {&block}).take();
  EXPECT_EQ(memory.process.usage(kLocal), 3 * kPage);
  memory.evict(second, {&block}).take();
  EXPECT_EQ(memory.process.usage(kLocal), 0u);
}

TEST(Budget, UnderPressureEveryProcessHasAnEqualShare) {
  Memory memory({memory_segment(1, 12)});
  ProcessMemory other(memory.manager.budgets(), 2);
  DeviceResidency& mine = memory.device();
  DeviceResidency theirs(memory.manager, other);
  memory.make_resident(mine, {&memory.block(10, {1})});
  memory.make_resident(theirs, {&memory.block(4, {1})});
  Budgets& budgets = memory.manager.budgets();
  EXPECT_EQ(budgets.budget(memory.process, kLocal), 8 * kPage);
  EXPECT_EQ(budgets.budget(other, kLocal), 6 * kPage);
  std::vector<TrimRequest> requests;
  memory.manager.trim_requests(requests);
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].device, &mine);
  EXPECT_EQ(requests[0].bytes, 2 * kPage);
  memory.manager.forget_device(theirs);
}

TEST(Budget, AReservationIsKeptAndLimited) {
  Memory memory({memory_segment(1, 12)});
  ProcessMemory other(memory.manager.budgets(), 2);
  Budgets& budgets = memory.manager.budgets();
  EXPECT_TRUE(budgets.set_reservation(other, kLocal, 5 * kPage).ok());
  EXPECT_EQ(budgets.query(memory.process, kLocal).available_for_reservation, kPage);
  EXPECT_EQ(budgets.set_reservation(memory.process, kLocal, 2 * kPage).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(memory.process.reservation(kLocal), 0u);
  EXPECT_EQ(budgets.query(other, kLocal).reservation, 5 * kPage);
}

TEST(Budget, EvictTellsByHowMuchTheProcessIsOver) {
  Memory memory({memory_segment(1, 12)});
  DeviceResidency& device = memory.device();
  Block& small = memory.block(1, {1});
  memory.make_resident(device, {&memory.block(8, {1}), &small});
  memory.manager.set_knobs({.restrict_local_budget = 5 * kPage});
  memory.evict(device, {&small}).take();
  EXPECT_EQ(memory.trim, 3 * kPage);
}

TEST(Budget, ARestrictedOneIsImposed) {
  Memory memory({memory_segment(1, 12)});
  memory.manager.set_knobs({.restrict_local_budget = 2 * kPage});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(3, {1});
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::OutOfMemory);
  EXPECT_EQ(memory.trim, kPage);
  EXPECT_EQ(device.count(block), 0u);
  EXPECT_EQ(memory.make_resident(device, {&block}, {.cant_trim_further = true}), Answer::Pending);
}

}  // namespace
}  // namespace vidmm

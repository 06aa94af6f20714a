#include "kmt/allocation/open_resource.h"

#include <gtest/gtest.h>

namespace kmt {
namespace {

constexpr ResourceSizes kHas{.allocations = 2, .runtime_bytes = 4, .resource_bytes = 16, .total_bytes = 100};

NTSTATUS judged(ResourceSizes room, dxgk::Flavour flavour = dxgk::Flavour::Windows) {
  Judgement judgement = judge_open(kHas, room, flavour);
  return judgement ? judgement->status : STATUS_SUCCESS;
}

TEST(JudgeOpen, SH02_R5ToR7_AllAsItWasTold) {
  EXPECT_EQ(judged(kHas), STATUS_SUCCESS);
  for (UINT wrong : {0u, 1u, 3u}) {
    ResourceSizes room = kHas;
    room.allocations = wrong;
    EXPECT_EQ(judged(room), STATUS_INVALID_PARAMETER);
  }
  for (UINT wrong : {0u, 3u, 5u}) {
    ResourceSizes room = kHas;
    room.runtime_bytes = wrong;
    EXPECT_EQ(judged(room), STATUS_INVALID_PARAMETER);
  }
  for (UINT wrong : {0u, 15u, 17u}) {
    ResourceSizes room = kHas;
    room.resource_bytes = wrong;
    EXPECT_EQ(judged(room), STATUS_INVALID_PARAMETER);
  }
}

TEST(JudgeOpen, N24_TooLittleRoomForTheAllocationsDataIsNoMemory) {
  ResourceSizes room = kHas;
  room.total_bytes = 99;
  EXPECT_EQ(judged(room), STATUS_NO_MEMORY);
  room.total_bytes = 4096;
  EXPECT_EQ(judged(room), STATUS_SUCCESS);
}

TEST(JudgeOpen, WslTakesMoreRoomThanNeeded) {
  ResourceSizes room{.allocations = 2, .runtime_bytes = 5, .resource_bytes = 17, .total_bytes = 101};
  EXPECT_EQ(judged(room, dxgk::Flavour::Wsl), STATUS_SUCCESS);
  room.runtime_bytes = 3;
  EXPECT_EQ(judged(room, dxgk::Flavour::Wsl), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace kmt

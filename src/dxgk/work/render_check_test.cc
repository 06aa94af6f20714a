#include "dxgk/work/render_check.h"

#include <gtest/gtest.h>

#include <vector>

namespace dxgk {
namespace {

using nt::Violation;

class CheckPatches : public ::testing::Test {
 protected:
  CheckPatches() {
    for (UINT i = 0; i < 4; ++i) {
      D3DDDI_PATCHLOCATIONLIST entry{};
      entry.AllocationIndex = i;
      entry.SplitOffset = i / 2 * 32;
      entry.PatchOffset = i * 16 + 8;
      list.push_back(entry);
    }
  }
  // What is found, and nothing for a good list.
  std::optional<Violation> found() const {
    auto fault = check_patches(list, {.bytes = 64, .allocations = 4, .most_slots = 2});
    return fault ? std::optional(fault->what) : std::nullopt;
  }
  std::vector<D3DDDI_PATCHLOCATIONLIST> list;
};

TEST_F(CheckPatches, GoodLists) {
  EXPECT_FALSE(found());
  list[3].SlotId = 2;
  EXPECT_FALSE(found());
  list[3].PatchOffset = 63;
  EXPECT_FALSE(found());
  list.clear();
  EXPECT_FALSE(found());
}

TEST_F(CheckPatches, NoSuchAllocation) {
  list[1].AllocationIndex = 4;
  EXPECT_EQ(found(), Violation::PatchIndexWrong);
}

TEST_F(CheckPatches, APatchBehindTheCommandsIsWrong) {
  list[3].PatchOffset = 64;
  EXPECT_EQ(found(), Violation::PatchOffsetWrong);
}

TEST_F(CheckPatches, NoSuchSlot) {
  list[2].SlotId = 3;
  EXPECT_EQ(found(), Violation::PatchSlotWrong);
}

TEST_F(CheckPatches, SplitBehindThePatch) {
  list[3].SplitOffset = 57;
  EXPECT_EQ(found(), Violation::PatchSplitWrong);
}

TEST_F(CheckPatches, SplitsGoBackwards) {
  list[3].SplitOffset = 31;
  EXPECT_EQ(found(), Violation::PatchSplitWrong);
}

TEST_F(CheckPatches, TheFirstFaultIsTold) {
  list[1].AllocationIndex = 9;
  list[0].PatchOffset = 1000;
  auto fault = check_patches(list, {.bytes = 64, .allocations = 4, .most_slots = 2});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->sentence,
            "element 0 of the patch-location list that DxgkDdiRender wrote is at offset 1000 of a DMA buffer with 64 "
            "bytes");
}

}  // namespace
}  // namespace dxgk

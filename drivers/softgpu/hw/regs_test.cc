#include "softgpu/hw/regs.h"

#include <gtest/gtest.h>

#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {
namespace {

TEST(RegsTest, FindsRegistersOfEachBlock) {
  auto found = find_register(SOFTGPU_REG_ENGINE(1) + SOFTGPU_ENGINE_RING_TAIL, 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->block, Block::Engine);
  EXPECT_EQ(found->index, 1u);
  EXPECT_EQ(found->offset, SOFTGPU_ENGINE_RING_TAIL);
  EXPECT_EQ(found->bytes, 4u);

  found = find_register(SOFTGPU_REG_VMID(15) + SOFTGPU_VMID_ROOT, 8);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->block, Block::Vmid);
  EXPECT_EQ(found->index, 15u);

  found = find_register(SOFTGPU_REG_HOOKS(1) + SOFTGPU_HOOK_SPEED, 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->block, Block::Hooks);

  found = find_register(SOFTGPU_REG_APERTURE_BASE, 8);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->block, Block::Device);
}

TEST(RegsTest, FindsHalvesOfWideOnes) {
  auto found = find_register(SOFTGPU_REG_TIME + 4, 4);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->upper_half);
  EXPECT_EQ(found->offset, SOFTGPU_REG_TIME);
  found = find_register(SOFTGPU_REG_TIME, 4);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->upper_half);
  found = find_register(SOFTGPU_REG_ENGINE(0) + SOFTGPU_ENGINE_FENCE_LOG(15) + 4, 4);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->upper_half);
}

TEST(RegsTest, OtherAddressesAndSizesAreNoRegisters) {
  EXPECT_FALSE(find_register(SOFTGPU_REG_ID, 8));  // two registers at once
  EXPECT_FALSE(find_register(SOFTGPU_REG_ID, 2));
  EXPECT_FALSE(find_register(SOFTGPU_REG_ID + 1, 1));
  EXPECT_FALSE(find_register(SOFTGPU_REG_RESET + 4, 4));
  EXPECT_FALSE(find_register(SOFTGPU_REG_ENGINE(SOFTGPU_ENGINES), 4));
  EXPECT_FALSE(find_register(SOFTGPU_REG_HOOKS(0) + SOFTGPU_HOOK_SLOWDOWN + 4, 4));
  EXPECT_FALSE(find_register(SOFTGPU_REG_ENGINE(0) + SOFTGPU_ENGINE_FENCE_LOG(0) + 12, 4));
  EXPECT_FALSE(find_register(SOFTGPU_REGISTER_BAR_BYTES, 4));
  EXPECT_FALSE(find_register(UINT64_MAX - 7, 8));
}

TEST(RegsTest, MergesHalves) {
  EXPECT_EQ(with_half(0x1111'1111'2222'2222, false, 0x3333'3333), 0x1111'1111'3333'3333u);
  EXPECT_EQ(with_half(0x1111'1111'2222'2222, true, 0x3333'3333), 0x3333'3333'2222'2222u);
}

}  // namespace
}  // namespace softgpu

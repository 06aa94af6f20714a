// What driver and hardware agree on: the layout of packets in both languages, and numbers that must fit each other.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "softgpu/hw/regs.h"
#include "softgpu/hw/testing/packets.h"
#include "softgpu/hw/testing/proto_c.h"
#include "softgpu/proto/softgpu_build.h"
#include "softgpu/proto/softgpu_cmd.h"
#include "softgpu/proto/softgpu_draw_check.h"
#include "softgpu/proto/softgpu_regs.h"

namespace softgpu {
namespace {

constexpr uint64_t pair(uint64_t low, uint64_t high) { return high << 32 | low; }

Qwords drawn(uint32_t flags) {
  SOFTGPU_DRAW draw = softgpu_draw({64, 32, 256, SOFTGPU_FORMAT_A8R8G8B8});
  draw.header = softgpu_header(SOFTGPU_CMD_DRAW, 0, sizeof(draw), flags);
  Qwords qwords(sizeof(draw) / 8);
  std::memcpy(qwords.data(), &draw, sizeof(draw));
  return qwords;
}

TEST(ProtoTest, PacketsHaveOneLayoutInBothLanguages) {
  // HEADER INDIRECT FENCE SIGNAL WAIT TIMESTAMP FILL COPY KERNEL COPY_PAGES WRITE_PTES TLB_FLUSH SET_ROOT
  // SET_STATE ADD_STATE STORE_STATE SAVE_STATE RESTORE_STATE CONTEXT_IMAGE DRAW CLEAR_RECT COPY_RECT STRETCH_RECT
  const size_t expected[SOFTGPU_C_SIZES] = {8,  24, 16, 24, 24, 16, 24,  32,  40, 24, 16, 24,
                                            24, 16, 16, 16, 16, 24, 136, 456, 40, 64, 72};
  for (size_t i = 0; i < SOFTGPU_C_SIZES; ++i) EXPECT_EQ(softgpu_c_sizes[i], expected[i]) << i;
  EXPECT_EQ(sizeof(SOFTGPU_HEADER), 8u);
  EXPECT_EQ(sizeof(SOFTGPU_KERNEL), 40u);
  EXPECT_EQ(offsetof(SOFTGPU_COPY, destination), 16u);
  EXPECT_EQ(offsetof(SOFTGPU_KERNEL, scalar), 36u);
  // Where what is not named begins, and the ends: there is no room between fields.
  EXPECT_EQ(offsetof(SOFTGPU_DRAW, stride), 100u);
  EXPECT_EQ(offsetof(SOFTGPU_DRAW, write_mask), 116u);
  EXPECT_EQ(offsetof(SOFTGPU_DRAW, scissor), 136u);
  EXPECT_EQ(offsetof(SOFTGPU_DRAW, transform), 260u);
  EXPECT_EQ(offsetof(SOFTGPU_DRAW, lights) + sizeof(SOFTGPU_LIGHT) * SOFTGPU_LIGHTS, sizeof(SOFTGPU_DRAW));
  EXPECT_EQ(softgpu_c_header(), 0x0102'0304'0005'2020u);
}

TEST(ProtoTest, BuildersPutPacketsTogether) {
  const Qwords expected =
      row({fill(0x1000, 2, 3), copy(0x1000, 0x2000, 4), kernel(SOFTGPU_KERNEL_MAD, 0x1000, 0x2000, 0x3000, 5, 6),
           signal(0x1000, 7, SOFTGPU_FLAG_INTERRUPT), wait(0x1000, 7, SOFTGPU_FLAG_EQUAL), timestamp(0x1000),
           set_state(1, 8), add_state(2, 9), store_state(3, 0x1000),
           packet(SOFTGPU_CMD_CLEAR_RECT, 0, 10, {0x1000, pair(1, 2), pair(8, 4), pair(64, 4)}),
           packet(SOFTGPU_CMD_COPY_RECT, 0, 0,
                  {0x1000, 0x2000, pair(1, 2), pair(64, 3), pair(4, 128), pair(8, 4), pair(2, 0)}),
           packet(SOFTGPU_CMD_STRETCH_RECT, 0, 0,
                  {0x1000, 0x2000, pair(1, 2), pair(8, 4), pair(64, SOFTGPU_FORMAT_A8R8G8B8), pair(1, 2), pair(8, 4),
                   pair(128, SOFTGPU_FORMAT_X8R8G8B8)}),
           drawn(SOFTGPU_DRAW_TARGET | SOFTGPU_DRAW_FLAT)});
  Qwords built(expected.size());
  const uint32_t bytes = static_cast<uint32_t>(8 * built.size());
  EXPECT_EQ(softgpu_c_build(built.data(), bytes), bytes);
  EXPECT_EQ(built, expected);
  EXPECT_EQ(softgpu_c_build(built.data(), bytes - 8), 0u);
}

// What a driver begins with needs only its addresses, whichever flags it adds.
TEST(ProtoTest, TheUsualDrawIsWellFormed) {
  SOFTGPU_DRAW draw = softgpu_draw({64, 32, 256, SOFTGPU_FORMAT_A8R8G8B8});
  EXPECT_TRUE(softgpu_draw_is_right(&draw));
  draw.texture_surface = {1, 1, 4, SOFTGPU_FORMAT_A8R8G8B8};
  draw.depth_pitch = 256;
  draw.header.argument = SOFTGPU_DRAW_FLAGS;
  EXPECT_TRUE(softgpu_draw_is_right(&draw));
}

TEST(ProtoTest, ADrawSaysHowFarItReaches) {
  SOFTGPU_DRAW draw = softgpu_draw({64, 32, 512, SOFTGPU_FORMAT_A8R8G8B8});
  EXPECT_EQ(softgpu_surface_bytes(&draw.target_surface), 31u * 512 + 64 * 4);
  draw.depth_pitch = 0xFFFFFFFF;
  EXPECT_EQ(softgpu_draw_depth_bytes(&draw), 31 * 0xFFFFFFFFull + 64 * 4);
  draw.stride = 0xFFFF;
  draw.vertex_count = 0xFFFFFFFF;
  EXPECT_EQ(softgpu_draw_vertices_bytes(&draw), 0xFFFFFFFFull * 0xFFFF);
  draw.first = draw.count = 0xFFFFFFFF;
  draw.index_bytes = 4;
  EXPECT_EQ(softgpu_draw_indices_bytes(&draw), 0xFFFFFFFFull * 8);
}

TEST(ProtoTest, AddressesComeApartAsTheyWerePutTogether) {
  EXPECT_EQ(softgpu_address(SOFTGPU_SPACE_APERTURE, 0x1234), aperture(0x1234));
  EXPECT_EQ(softgpu_segment_address(SOFTGPU_SEGMENT_SYSTEM, 0x5000), bus(0x5000));
  EXPECT_EQ(softgpu_segment_address(SOFTGPU_SEGMENT_LOCAL, 0x5000), local(0x5000));
  EXPECT_EQ(softgpu_address_space(bus(0x5000)), SOFTGPU_SPACE_SYSTEM);
  EXPECT_EQ(softgpu_address_offset(bus(0x5000)), 0x5000u);
}

TEST(ProtoTest, EntriesKeepTheirFieldsApart) {
  uint64_t flags = SOFTGPU_PTE_VALID | SOFTGPU_PTE_READONLY | SOFTGPU_PTE_NOEXEC | SOFTGPU_PTE_ZERO |
                   SOFTGPU_PTE_COHERENT | SOFTGPU_PTE_LARGE | SOFTGPU_PTE_TABLE_64K;
  EXPECT_EQ(flags & (SOFTGPU_PTE_SEGMENT_MASK | SOFTGPU_PTE_FRAME_MASK | SOFTGPU_PTE_RESERVED_MASK), 0u);
  EXPECT_EQ(flags | SOFTGPU_PTE_SEGMENT_MASK | SOFTGPU_PTE_FRAME_MASK | SOFTGPU_PTE_RESERVED_MASK, UINT64_MAX);
  uint64_t pte = softgpu_pte(SOFTGPU_SEGMENT_APERTURE, 0xF'FFFF'FFFF, SOFTGPU_PTE_VALID);
  EXPECT_EQ(softgpu_pte_segment(pte), SOFTGPU_SEGMENT_APERTURE);
  EXPECT_EQ(pte & SOFTGPU_PTE_FRAME_MASK, SOFTGPU_PTE_FRAME_MASK);
}

TEST(ProtoTest, IndicesCoverTheWholeVirtualAddress) {
  EXPECT_EQ(SOFTGPU_LEVELS * SOFTGPU_LEVEL_BITS + SOFTGPU_PAGE_SHIFT, SOFTGPU_VIRTUAL_BITS);
  uint64_t address = 0;
  for (uint32_t level = 0; level < SOFTGPU_LEVELS; ++level) address |= uint64_t{level + 1} << (12 + 9 * level);
  for (uint32_t level = 0; level < SOFTGPU_LEVELS; ++level) EXPECT_EQ(softgpu_table_index(address, level), level + 1);
}

TEST(ProtoTest, EachInterruptHasItsOwnBit) {
  uint32_t all = SOFTGPU_INT_SOFTWARE;
  for (uint32_t engine = 0; engine < SOFTGPU_ENGINES; ++engine) {
    for (uint32_t cause : {SOFTGPU_INT_FENCE(engine), SOFTGPU_INT_SIGNAL(engine), SOFTGPU_INT_PREEMPTED(engine),
                           SOFTGPU_INT_FAULT(engine)}) {
      EXPECT_EQ(all & cause, 0u);
      all |= cause;
    }
  }
  EXPECT_EQ(all, SOFTGPU_INT_ALL);
}

// Every offset of the bar belongs to one register at most.
TEST(ProtoTest, RegistersDoNotOverlap) {
  uint32_t registers = 0;
  for (uint32_t offset = 0; offset < SOFTGPU_REGISTER_BAR_BYTES; offset += 4) {
    auto found = find_register(offset, 4);
    if (!found || found->upper_half) continue;
    ++registers;
    EXPECT_EQ(offset % found->bytes, 0u) << std::hex << offset;
    if (found->bytes != 8) continue;
    auto upper = find_register(offset + 4, 4);
    ASSERT_TRUE(upper) << std::hex << offset;
    EXPECT_TRUE(upper->upper_half) << std::hex << offset;
  }
  constexpr uint32_t kDevice = 22, kVmid = 2, kEngine = 21 + 2 * SOFTGPU_FENCE_LOG_SLOTS, kHooks = 8;
  EXPECT_EQ(registers, kDevice + SOFTGPU_VMIDS * kVmid + SOFTGPU_ENGINES * (kEngine + kHooks));
}

}  // namespace
}  // namespace softgpu

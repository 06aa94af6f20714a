#include "softgpu/hw/packet.h"

#include <gtest/gtest.h>

#include "softgpu/hw/testing/packets.h"

namespace softgpu {
namespace {

std::vector<Qwords> one_of_each() {
  return {nop(),
          end(),
          indirect(0, 8),
          fence(1),
          signal(0, 1),
          wait(0, 1),
          timestamp(0),
          fill(0, 4, 0),
          copy(0, 0, 4),
          copy_pages(0, 5000, 100, {0, 0}),
          kernel(SOFTGPU_KERNEL_ADD, 0, 0, 0, 1),
          write_ptes(0, {1, 2, 3}),
          tlb_flush(1),
          set_root(1, 0, 512),
          set_state(1, 2),
          add_state(1, 2),
          store_state(1, 0),
          save_state(0),
          restore_state(1, 0)};
}

bool well_formed(const Qwords& qwords) { return Packet(qwords).well_formed(); }

TEST(PacketTest, EachKindIsWellFormed) {
  for (const Qwords& qwords : one_of_each()) EXPECT_TRUE(well_formed(qwords)) << (qwords[0] & 0xFF);
}

TEST(PacketTest, LengthsAreExact) {
  for (Qwords qwords : one_of_each()) {
    SCOPED_TRACE(qwords[0] & 0xFF);
    if ((qwords[0] & 0xFF) == SOFTGPU_CMD_NOP) continue;
    qwords.push_back(0);
    EXPECT_FALSE(well_formed(qwords));
    qwords.pop_back();
    if (qwords.size() == 1) continue;
    qwords.pop_back();
    EXPECT_FALSE(well_formed(qwords));
  }
  EXPECT_TRUE(well_formed(packet(SOFTGPU_CMD_NOP, 0, 5, {1, 2, 3})));
}

TEST(PacketTest, FlagsBelongToTheirPackets) {
  for (Qwords qwords : one_of_each()) {
    if ((qwords[0] & 0xFF) == SOFTGPU_CMD_NOP) continue;
    qwords[0] |= 0x8000;
    EXPECT_FALSE(well_formed(qwords)) << (qwords[0] & 0xFF);
  }
  EXPECT_TRUE(well_formed(signal(0, 1, SOFTGPU_FLAG_INTERRUPT | SOFTGPU_FLAG_32BIT)));
  EXPECT_FALSE(well_formed(wait(0, 1, SOFTGPU_FLAG_INTERRUPT)));
}

TEST(PacketTest, ReservedArgumentsAreZero) {
  EXPECT_FALSE(well_formed(packet(SOFTGPU_CMD_END, 0, 1, {})));
  EXPECT_FALSE(well_formed(packet(SOFTGPU_CMD_FENCE, 0, 1, {7})));
  EXPECT_FALSE(well_formed(packet(SOFTGPU_CMD_COPY, 0, 1, {0, 0, 0})));
}

TEST(PacketTest, UnknownPacketsAreBad) {
  for (uint8_t opcode : {0x07, 0x13, 0x21, 0x33, 0xCC, 0xFF}) EXPECT_FALSE(well_formed(packet(opcode, 0, 0, {})));
}

TEST(PacketTest, OperandsHaveLimits) {
  EXPECT_FALSE(well_formed(fill(0, SOFTGPU_OPERAND_MAX_BYTES + 1, 0)));
  EXPECT_FALSE(well_formed(copy(0, 0, UINT64_MAX)));
  EXPECT_FALSE(well_formed(indirect(0, 12)));
  EXPECT_FALSE(well_formed(indirect(0, SOFTGPU_INDIRECT_MAX_BYTES + 8)));
  EXPECT_FALSE(well_formed(indirect(0, 8, SOFTGPU_VMIDS)));
  EXPECT_FALSE(well_formed(kernel(SOFTGPU_KERNELS, 0, 0, 0, 1)));
  EXPECT_FALSE(well_formed(kernel(SOFTGPU_KERNEL_ADD, 0, 0, 0, SOFTGPU_KERNEL_MAX_COUNT + 1)));
  EXPECT_FALSE(well_formed(kernel(SOFTGPU_KERNEL_ITERATE, 0, 0, 0, 0x10000, 0x10000)));
  EXPECT_TRUE(well_formed(kernel(SOFTGPU_KERNEL_MAD, 0, 0, 0, 0x10000, 0x10000)));
  EXPECT_FALSE(well_formed(copy_pages(0, 4096, 4096, {0, 0})));
  EXPECT_FALSE(well_formed(copy_pages(0, UINT64_MAX - 50, 100, {0})));
  EXPECT_FALSE(well_formed(repeat_pte(0, 0, SOFTGPU_OPERAND_MAX_BYTES / 8 + 1)));
  EXPECT_TRUE(well_formed(repeat_pte(0, 0, 512)));
  EXPECT_FALSE(well_formed(tlb_flush(SOFTGPU_VMIDS)));
  EXPECT_TRUE(well_formed(tlb_flush(SOFTGPU_TLB_ALL)));
  EXPECT_FALSE(well_formed(set_root(SOFTGPU_VMIDS, 0, 1)));
  EXPECT_FALSE(well_formed(set_root(0, 0, 513)));
  EXPECT_FALSE(well_formed(set_state(SOFTGPU_CONTEXT_REGISTERS, 0)));
  EXPECT_FALSE(well_formed(add_state(SOFTGPU_CONTEXT_REGISTERS, 0)));
  EXPECT_FALSE(well_formed(store_state(SOFTGPU_CONTEXT_REGISTERS, 0)));
  EXPECT_FALSE(well_formed(restore_state(0, 0)));
  EXPECT_FALSE(well_formed(restore_state(1, 0, SOFTGPU_VMIDS)));
  EXPECT_FALSE(well_formed(packet(SOFTGPU_CMD_RESTORE_STATE, SOFTGPU_FLAG_CLEAR, 0, {1, 0})));
  EXPECT_TRUE(well_formed(clear_state()));
  EXPECT_FALSE(well_formed(kernel(SOFTGPU_KERNEL_ADD_STATE, 0, 0, 0, 1, SOFTGPU_CONTEXT_REGISTERS)));
}

TEST(PacketTest, WhatChangesTheMachineNeedsPrivilege) {
  std::vector<uint64_t> privileged;
  for (const Qwords& qwords : one_of_each()) {
    if (Packet(qwords).needs_privilege()) privileged.push_back(qwords[0] & 0xFF);
  }
  EXPECT_EQ(privileged,
            (std::vector<uint64_t>{SOFTGPU_CMD_FENCE, SOFTGPU_CMD_WRITE_PTES, SOFTGPU_CMD_TLB_FLUSH,
                                   SOFTGPU_CMD_SET_ROOT, SOFTGPU_CMD_SAVE_STATE, SOFTGPU_CMD_RESTORE_STATE}));
}

TEST(PacketTest, MoreWorkCostsMore) {
  EXPECT_GT(Packet(nop()).cost_ns(), 0u);
  EXPECT_GT(Packet(fill(0, 1 << 20, 0)).cost_ns(), Packet(fill(0, 4096, 0)).cost_ns());
  EXPECT_GT(Packet(kernel(SOFTGPU_KERNEL_ITERATE, 0, 0, 0, 100, 100)).cost_ns(),
            Packet(kernel(SOFTGPU_KERNEL_ITERATE, 0, 0, 0, 100, 10)).cost_ns());
}

}  // namespace
}  // namespace softgpu

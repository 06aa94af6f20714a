#include <gtest/gtest.h>

#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::kPage;
using testing::Memory;
using testing::memory_segment;

constexpr Options kMoving{.gpu_mmu = false, .move_paging = true};

// Eight pages, of which the even ones are free.
struct DefragmentTest : ::testing::Test {
  DefragmentTest() : memory({memory_segment(1, 8)}, kMoving), device(memory.device()) {
    std::vector<Block*> all;
    for (int i = 0; i < 8; ++i) all.push_back(&memory.block(1, {1}));
    for (Block* block : all) memory.make_resident(device, {block});
    for (int i = 0; i < 8; ++i) {
      if (i % 2 == 0) {
        memory.remove(*all[i]);
      } else {
        kept.push_back(all[i]);
      }
    }
    memory.plan.clear();
  }

  Memory memory;
  DeviceResidency& device;
  std::vector<Block*> kept;
};

TEST_F(DefragmentTest, MovesDownUntilTheGapsAreOne) {
  EXPECT_EQ(memory.manager.defragment(1, memory.plan), Answer::Pending);
  EXPECT_EQ(memory.manager.segment(1).space.largest_gap(), 4 * kPage);
  EXPECT_EQ(memory.planned(),
            "wait_idle #8\n"
            "move #8 1[0x7000+0x1000] -> 1[0x0+0x1000]\n"
            "rebind #8 1[0x7000+0x1000] -> 1[0x0+0x1000]\n"
            "wait_idle #6\n"
            "move #6 1[0x5000+0x1000] -> 1[0x2000+0x1000]\n"
            "rebind #6 1[0x5000+0x1000] -> 1[0x2000+0x1000]\n");
  EXPECT_TRUE(device.complete());
  EXPECT_TRUE(memory.manager.validate());
  EXPECT_EQ(memory.manager.statistics(1).moved_bytes, 2 * kPage);
  EXPECT_EQ(memory.manager.defragment(1, memory.plan), Answer::Done);
}

TEST_F(DefragmentTest, WhatWouldNotHelpIsNotDone) {
  for (Block* block : {kept[0], kept[1], kept[3]}) memory.manager.pin(*block, memory.plan);
  // Only #6 could move, into a gap of its own size between two pinned ones: but that joins two others.
  EXPECT_EQ(memory.manager.defragment(1, memory.plan), Answer::Pending);
  EXPECT_EQ(memory.manager.segment(1).space.largest_gap(), 3 * kPage);
  memory.manager.pin(*kept[2], memory.plan);
  memory.plan.clear();
  EXPECT_EQ(memory.manager.defragment(1, memory.plan), Answer::Done);
  EXPECT_EQ(memory.planned(), "");
}

TEST_F(DefragmentTest, LeavesRunningDevicesAlone) {
  memory.manager.prepare(device, memory.plan);
  EXPECT_EQ(memory.manager.defragment(1, memory.plan), Answer::Done);
}

TEST_F(DefragmentTest, KnobsMakeItFailOrMoveNothing) {
  memory.manager.set_knobs({.fail_defrag_pass = true});
  EXPECT_EQ(memory.manager.defragment(1, memory.plan), Answer::OutOfMemory);
  memory.manager.set_knobs({.never_move_defrag = true});
  EXPECT_EQ(memory.manager.defragment(1, memory.plan), Answer::Done);
  EXPECT_EQ(memory.planned(), "");
}

TEST(Defragment, NeedsADriverThatMoves) {
  Memory memory({memory_segment(1, 4)}, {});
  DeviceResidency& device = memory.device();
  Block& low = memory.block(1, {1});
  Block& high = memory.block(1, {1});
  memory.make_resident(device, {&low, &high});
  memory.remove(low);
  memory.plan.clear();
  EXPECT_EQ(memory.manager.defragment(1, memory.plan), Answer::Done);
  EXPECT_EQ(memory.planned(), "");
}

}  // namespace
}  // namespace vidmm

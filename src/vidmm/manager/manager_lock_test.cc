// The manager and the CPU: where a locked block may be, and what becomes of it there.
#include <gtest/gtest.h>

#include "vidmm/manager/manager.h"
#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::aperture_segment;
using testing::Memory;
using testing::memory_segment;
using testing::traits;

TEST(Lock, InPlaceWhereTheCpuSees) {
  SegmentInfo visible = memory_segment(1, 4);
  visible.cpu_visible = true;
  Memory memory({visible});
  BlockTraits about = traits(1, {1});
  about.cpu_visible = true;
  Block& block = memory.block(about);
  memory.manager.pin(block, memory.plan);
  memory.planned();
  EXPECT_EQ(memory.manager.lock(block, memory.plan).value(), Answer::Done);
  EXPECT_TRUE(block.locked());
  memory.manager.unlock(block);
  memory.manager.unpin(block);
}

TEST(Lock, WhatTheCpuMayHaveWrittenInPlaceIsCopiedOut) {
  SegmentInfo visible = memory_segment(1, 4);
  visible.cpu_visible = true;
  Memory memory({visible}, {.writes_are_told = true});
  BlockTraits about = traits(1, {1});
  about.cpu_visible = true;
  Block& block = memory.block(about);
  memory.manager.pin(block, memory.plan);
  memory.manager.lock(block, memory.plan).take();
  memory.manager.unlock(block);
  memory.manager.evict_all(memory.plan);
  EXPECT_NE(memory.planned().find("transfer_out"), std::string::npos);
}

TEST(Lock, ALockedBlockIsAVictimOnlyIfItsAddressCanStay) {
  for (bool gpu_mmu : {false, true}) {
    SegmentInfo visible = memory_segment(1, 4);
    visible.cpu_visible = true;
    Memory memory({visible}, {.gpu_mmu = gpu_mmu});
    DeviceResidency& device = memory.device();
    BlockTraits about = traits(2, {1});
    about.cpu_visible = true;
    Block& block = memory.block(about);
    memory.make_resident(device, {&block});
    memory.manager.lock(block, memory.plan).take();
    DeviceResidency& other = memory.device();
    Answer answer = memory.make_resident(other, {&memory.block(4, {1})});
    EXPECT_EQ(answer, gpu_mmu ? Answer::Pending : Answer::OutOfMemory);
    EXPECT_EQ(block.resident(), !gpu_mmu);
  }
}

TEST(Lock, MovesToAnApertureWhereTheCpuDoesNotSee) {
  Memory memory({memory_segment(1, 4), aperture_segment(2, 4)}, {});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(1, {1, 2});
  about.cpu_visible = about.explicit_notification = true;
  Block& block = memory.block(about);
  memory.make_resident(device, {&block});
  memory.planned();
  EXPECT_EQ(memory.manager.lock(block, memory.plan).value(), Answer::Pending);
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "notify_evict #1\n"
            "map_aperture #1 sys -> 2[0x0+0x1000]\n"
            "move #1 1[0x0+0x1000] -> 2[0x0+0x1000]\n"
            "rebind #1 1[0x0+0x1000] -> 2[0x0+0x1000]\n"
            "notify_resident #1 sys -> 2[0x0+0x1000]\n");
  EXPECT_TRUE(device.complete());
  EXPECT_EQ(block.content(), Content::Backing);
}

TEST(Lock, EvictsUnlistedBlocksAndRefusesToEvictListedOnes) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(1, {1});
  about.cpu_visible = true;
  Block& block = memory.block(about);
  memory.make_resident(device, {&block});
  EXPECT_EQ(memory.manager.lock(block, memory.plan).status(), STATUS_INVALID_PARAMETER);
  memory.evict(device, {&block}, {.evict_only_if_necessary = true}).take();
  EXPECT_EQ(memory.manager.lock(block, memory.plan).value(), Answer::Pending);
  EXPECT_FALSE(block.resident());
  EXPECT_EQ(memory.manager.statistics(1).evictions_for(EvictionCause::Lock), 1u);
  // While it is locked no segment can take it.
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::Locked);
  memory.manager.unlock(block);
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::Pending);
}

// Trimming would not help, so that it must not look like a shortage.
TEST(Lock, ALockedBlockWithoutAPlaceIsNotTakenForAShortage) {
  Memory memory({memory_segment(1, 4)}, {.gpu_mmu = true});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(1, {1});
  about.cpu_visible = true;
  Block& block = memory.block(about);
  memory.manager.lock(block, memory.plan).take();
  Block* blocks[] = {&block};
  uint64_t bytes_to_trim = 1;
  EXPECT_EQ(memory.manager.make_resident(device, blocks, {}, memory.plan, bytes_to_trim), Answer::Locked);
  EXPECT_EQ(bytes_to_trim, 0u);
  EXPECT_EQ(device.count(block), 0u);
  memory.manager.unlock(block);
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::Pending);
}

TEST(Lock, WhatTheCpuWroteIsPagedIn) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(1, {1});
  about.cpu_visible = true;
  Block& block = memory.block(about);
  EXPECT_EQ(memory.manager.lock(block, memory.plan).value(), Answer::Done);
  memory.manager.unlock(block);
  memory.make_resident(device, {&block});
  EXPECT_NE(memory.planned().find("transfer_in"), std::string::npos);
}

TEST(Lock, RefusesWhatIsNotCpuVisible) {
  Memory memory({memory_segment(1, 4)});
  EXPECT_EQ(memory.manager.lock(memory.block(1, {1}), memory.plan).status(), STATUS_INVALID_PARAMETER);
}

// --- Memory segments that the CPU sees ---

class LockInSegment : public ::testing::Test {
 protected:
  static SegmentInfo visible() {
    SegmentInfo info = memory_segment(1, 4);
    info.cpu_visible = true;
    return info;
  }
  static BlockTraits lockable() {
    BlockTraits about = traits(1, {1});
    about.cpu_visible = true;
    return about;
  }

  Memory memory{{visible()}, {.gpu_mmu = true}};
  DeviceResidency& device = memory.device();
  Block& block = memory.block(lockable());
};

TEST_F(LockInSegment, WhatIsLockedFirstIsPagedIn) {
  memory.manager.lock(block, memory.plan).take();
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::Pending);
  EXPECT_NE(memory.planned().find("transfer_in"), std::string::npos);
  EXPECT_EQ(block.content(), Content::Segment);
}

// Nothing says that the CPU writes: it has the address, so that it may.
TEST_F(LockInSegment, WhatIsLockedAndPagedInIsCopiedOut) {
  memory.manager.lock(block, memory.plan).take();
  memory.make_resident(device, {&block});
  memory.planned();
  memory.evict(device, {&block}, {.not_written_to = true}).take();
  EXPECT_NE(memory.planned().find("transfer_out"), std::string::npos);
  EXPECT_EQ(block.content(), Content::Backing);
}

TEST_F(LockInSegment, AfterAResetTheCpuHasTheBacking) {
  memory.make_resident(device, {&block});
  memory.manager.lock(block, memory.plan).take();
  memory.manager.lose_contents(memory.plan);
  EXPECT_EQ(block.content(), Content::Backing);
  memory.planned();
  // What it has written there since is not filled over.
  EXPECT_EQ(memory.manager.prepare(device, memory.plan), Answer::Pending);
  EXPECT_EQ(memory.planned().find("fill"), std::string::npos);
}

TEST_F(LockInSegment, NotForABlockWhoseAddressCannotFollow) {
  BlockTraits about = lockable();
  about.cpu_follows = false;
  Block& fixed = memory.block(about);
  memory.make_resident(device, {&fixed});
  EXPECT_EQ(memory.manager.lock(fixed, memory.plan).status(), STATUS_INVALID_PARAMETER);
  memory.evict(device, {&fixed}).take();
  memory.manager.lock(fixed, memory.plan).take();
  EXPECT_EQ(memory.make_resident(device, {&fixed}), Answer::Locked);
}

}  // namespace
}  // namespace vidmm

#include <gtest/gtest.h>

#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::aperture_segment;
using testing::kPage;
using testing::Memory;
using testing::memory_segment;
using testing::traits;

constexpr MakeResidentFlags kCantTrim{.cant_trim_further = true};

TEST(Residency, FirstPageInFillsAndBinds) {
  Memory memory({memory_segment(1, 16)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(4, {1});
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::Pending);
  EXPECT_EQ(memory.planned(),
            "fill #1 sys -> 1[0x0+0x4000]\n"
            "rebind #1 sys -> 1[0x0+0x4000]\n");
  EXPECT_TRUE(device.complete());
  EXPECT_EQ(device.required_bytes(), 4 * kPage);
}

TEST(Residency, CountsAndAnswersDoneWhenNothingIsToDo) {
  Memory memory({memory_segment(1, 16)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(4, {1});
  memory.make_resident(device, {&block, &block});
  memory.planned();
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::Done);
  EXPECT_EQ(device.count(block), 3u);
  EXPECT_EQ(memory.planned(), "");
}

TEST(Residency, EvictionCopiesOutAndComesBackWithItsContent) {
  Memory memory({memory_segment(1, 16)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(4, {1});
  about.explicit_notification = about.contiguous = true;
  Block& block = memory.block(about);
  memory.make_resident(device, {&block});
  EXPECT_EQ(memory.planned(),
            "fill #1 sys -> 1[0x0+0x4000]\n"
            "rebind #1 sys -> 1[0x0+0x4000]\n"
            "notify_resident #1 sys -> 1[0x0+0x4000]\n");
  EXPECT_EQ(memory.evict(device, {&block}).value(), Answer::Pending);
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "notify_evict #1\n"
            "transfer_out #1 1[0x0+0x4000] -> sys\n"
            "rebind #1 1[0x0+0x4000] -> sys\n");
  EXPECT_EQ(block.content(), Content::Backing);
  memory.make_resident(device, {&block});
  EXPECT_EQ(memory.planned(),
            "transfer_in #1 sys -> 1[0x0+0x4000]\n"
            "rebind #1 sys -> 1[0x0+0x4000]\n"
            "notify_resident #1 sys -> 1[0x0+0x4000]\n");
}

TEST(Residency, AnAddressedApertureIsMappedAndNeverFilled) {
  Memory memory({aperture_segment(1, 16)}, {});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(4, {1});
  memory.make_resident(device, {&block});
  EXPECT_EQ(memory.planned(),
            "map_aperture #1 sys -> 1[0x0+0x4000]\n"
            "rebind #1 sys -> 1[0x0+0x4000]\n");
  EXPECT_EQ(block.content(), Content::Backing);
  memory.evict(device, {&block}).take();
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "unmap_aperture #1 1[0x0+0x4000] -> sys\n"
            "rebind #1 1[0x0+0x4000] -> sys\n");
}

TEST(Residency, WithGpuPageTablesAnApertureCostsOnlyItsCommitLimit) {
  SegmentInfo aperture = aperture_segment(1, 4);
  aperture.commit_limit = 8 * kPage;
  Memory memory({aperture});
  DeviceResidency& device = memory.device();
  Block& first = memory.block(6, {1});
  EXPECT_EQ(memory.make_resident(device, {&first}), Answer::Pending);
  EXPECT_EQ(memory.planned(), "rebind #1 sys -> 1\n");
  Block& second = memory.block(3, {1});
  EXPECT_EQ(memory.make_resident(device, {&second}), Answer::OutOfMemory);
  EXPECT_EQ(memory.trim, kPage);
}

TEST(Residency, EvictBelowZeroIsRefusedAndChangesNothing) {
  Memory memory({memory_segment(1, 16)});
  DeviceResidency& device = memory.device();
  Block& a = memory.block(1, {1});
  Block& b = memory.block(1, {1});
  memory.make_resident(device, {&a});
  memory.planned();
  EXPECT_EQ(memory.evict(device, {&a, &b}).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(memory.evict(device, {&a, &a}).status(), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(device.count(a), 1u);
  EXPECT_EQ(memory.planned(), "");
}

TEST(Residency, NeedsAsManyEvictsAsMakes) {
  Memory memory({memory_segment(1, 16)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(1, {1});
  memory.make_resident(device, {&block, &block});
  memory.planned();
  EXPECT_EQ(memory.evict(device, {&block}).value(), Answer::Done);
  EXPECT_TRUE(block.resident());
  EXPECT_EQ(memory.evict(device, {&block}).value(), Answer::Pending);
  EXPECT_FALSE(block.resident());
}

TEST(Residency, AnotherDeviceKeepsASharedBlock) {
  Memory memory({memory_segment(1, 16)});
  DeviceResidency& first = memory.device();
  DeviceResidency& second = memory.device();
  Block& block = memory.block(1, {1});
  memory.make_resident(first, {&block});
  EXPECT_EQ(memory.make_resident(second, {&block}), Answer::Done);
  memory.planned();
  EXPECT_EQ(memory.evict(first, {&block}).value(), Answer::Done);
  EXPECT_TRUE(block.resident());
  EXPECT_TRUE(memory.manager.validate());
}

TEST(Residency, EvictOnlyIfNecessaryWaitsForTheNeed) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  Block& old = memory.block(4, {1});
  memory.make_resident(device, {&old});
  EXPECT_EQ(memory.evict(device, {&old}, {.evict_only_if_necessary = true}).value(), Answer::Done);
  EXPECT_TRUE(old.resident());
  memory.planned();
  Block& fresh = memory.block(2, {1});
  memory.make_resident(device, {&fresh});
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "transfer_out #1 1[0x0+0x4000] -> sys\n"
            "rebind #1 1[0x0+0x4000] -> sys\n"
            "fill #2 sys -> 1[0x0+0x2000]\n"
            "rebind #2 sys -> 1[0x0+0x2000]\n");
}

TEST(Residency, NeverDeferEvictionsIgnoresTheFlag) {
  Memory memory({memory_segment(1, 4)});
  memory.manager.set_knobs({.never_defer_evictions = true});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(4, {1});
  memory.make_resident(device, {&block});
  EXPECT_EQ(memory.evict(device, {&block}, {.evict_only_if_necessary = true}).value(), Answer::Pending);
  EXPECT_FALSE(block.resident());
}

TEST(Residency, NotWrittenToDiscardsInsteadOfCopying) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(1, {1});
  memory.make_resident(device, {&block});
  memory.evict(device, {&block}).take();
  memory.make_resident(device, {&block});
  memory.planned();
  memory.evict(device, {&block}, {.not_written_to = true}).take();
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "discard #1 1[0x0+0x1000] -> sys\n"
            "rebind #1 1[0x0+0x1000] -> sys\n");
  EXPECT_EQ(block.content(), Content::Backing);
}

TEST(Residency, NotWrittenToDoesNotCoverWhatWasWrittenBefore) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(1, {1});
  memory.make_resident(device, {&block});
  memory.evict(device, {&block}, {.evict_only_if_necessary = true}).take();
  memory.make_resident(device, {&block});
  memory.evict(device, {&block}, {.not_written_to = true}).take();
  EXPECT_EQ(block.content(), Content::Backing);
  EXPECT_NE(memory.planned().find("transfer_out"), std::string::npos);
}

TEST(Residency, APromiseEndsWhenTheDeviceRunsAgain) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(1, {1});
  memory.make_resident(device, {&block, &block});
  memory.evict(device, {&block}, {.not_written_to = true}).take();
  EXPECT_EQ(memory.manager.prepare(device, memory.plan), Answer::Done);
  memory.planned();
  memory.evict(device, {&block}).take();
  EXPECT_NE(memory.planned().find("transfer_out"), std::string::npos);
}

TEST(Residency, APromiseThatHasEndedDoesNotCoverAVictimEither) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  DeviceResidency& other = memory.device();
  Block& block = memory.block(4, {1});
  memory.make_resident(device, {&block, &block});
  memory.evict(device, {&block}, {.not_written_to = true}).take();
  memory.manager.prepare(device, memory.plan);
  memory.manager.mark_idle(device);
  memory.planned();
  memory.make_resident(other, {&memory.block(1, {1})});
  EXPECT_NE(memory.planned().find("transfer_out"), std::string::npos);
}

TEST(Residency, ARefusedRequestLeavesTheOrderOfVictims) {
  Memory memory({memory_segment(1, 5), memory_segment(2, 4)});
  DeviceResidency& device = memory.device();
  std::vector<Block*> old;
  for (int i = 0; i < 5; ++i) {
    old.push_back(&memory.block(1, {1}));
    memory.make_resident(device, {old.back()});
    memory.evict(device, {old.back()}, {.evict_only_if_necessary = true}).take();
  }
  memory.planned();
  // The first of these evicts three, the second has no room then.
  EXPECT_EQ(memory.make_resident(device, {&memory.block(3, {1}), &memory.block(3, {1})}), Answer::OutOfMemory);
  EXPECT_EQ(memory.planned(), "");
  for (Block* next : old) {
    EXPECT_TRUE(next->resident());
    memory.make_resident(device, {&memory.block(1, {1})});
    EXPECT_FALSE(next->resident());
  }
}

TEST(Residency, IsAtomicWhenMemoryIsShort) {
  Memory memory({memory_segment(1, 8)});
  DeviceResidency& device = memory.device();
  Block& kept = memory.block(4, {1});
  memory.make_resident(device, {&kept});
  memory.planned();
  Block& a = memory.block(3, {1});
  Block& b = memory.block(3, {1});
  EXPECT_EQ(memory.make_resident(device, {&kept, &a, &b}), Answer::OutOfMemory);
  EXPECT_EQ(memory.trim, 2 * kPage);
  EXPECT_EQ(memory.planned(), "");
  EXPECT_EQ(device.count(kept), 1u);
  EXPECT_EQ(device.count(a), 0u);
  EXPECT_FALSE(a.resident());
  EXPECT_TRUE(memory.manager.validate());
}

TEST(Residency, ABlockLargerThanAnySegmentHasNothingToTrim) {
  Memory memory({memory_segment(1, 8), memory_segment(2, 8)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(9, {1, 2});
  EXPECT_EQ(memory.make_resident(device, {&block}, kCantTrim), Answer::OutOfMemory);
  EXPECT_EQ(memory.trim, 0u);
}

TEST(Residency, BlocksThatNeedNoSegmentAreAlwaysResident) {
  Memory memory({memory_segment(1, 8)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(100, {});
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::Done);
  EXPECT_TRUE(device.complete());
}

TEST(Residency, EvictsAnIdleDeviceAndBringsItBack) {
  Memory memory({memory_segment(1, 8)});
  DeviceResidency& first = memory.device();
  DeviceResidency& second = memory.device();
  Block& a = memory.block(6, {1});
  Block& b = memory.block(6, {1});
  memory.make_resident(first, {&a});
  memory.planned();
  EXPECT_EQ(memory.make_resident(second, {&b}), Answer::Pending);
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "transfer_out #1 1[0x0+0x6000] -> sys\n"
            "rebind #1 1[0x0+0x6000] -> sys\n"
            "fill #2 sys -> 1[0x0+0x6000]\n"
            "rebind #2 sys -> 1[0x0+0x6000]\n");
  EXPECT_FALSE(first.complete());
  EXPECT_EQ(memory.manager.prepare(first, memory.plan), Answer::Pending);
  EXPECT_TRUE(first.complete());
  EXPECT_TRUE(first.running());
  EXPECT_FALSE(second.complete());
}

TEST(Residency, LeavesARunningDeviceAloneUnlessNothingElseWillDo) {
  Memory memory({memory_segment(1, 8)});
  DeviceResidency& first = memory.device();
  DeviceResidency& second = memory.device();
  Block& a = memory.block(6, {1});
  Block& b = memory.block(6, {1});
  memory.make_resident(first, {&a});
  memory.manager.prepare(first, memory.plan);
  EXPECT_EQ(memory.make_resident(second, {&b}), Answer::OutOfMemory);
  EXPECT_TRUE(first.running());
  EXPECT_EQ(memory.trim, 6 * kPage);
  EXPECT_EQ(memory.make_resident(second, {&b}, kCantTrim), Answer::Pending);
  EXPECT_FALSE(first.running());
  EXPECT_EQ(memory.manager.prepare(second, memory.plan), Answer::Done);
  EXPECT_EQ(memory.manager.prepare(first, memory.plan), Answer::OutOfMemory);
  memory.manager.mark_idle(second);
  EXPECT_EQ(memory.manager.prepare(first, memory.plan), Answer::Pending);
}

TEST(Residency, TakesTheDeviceThatWasScheduledLongestAgo) {
  Memory memory({memory_segment(1, 6)});
  DeviceResidency& first = memory.device();
  DeviceResidency& second = memory.device();
  DeviceResidency& third = memory.device();
  Block& a = memory.block(2, {1});
  Block& b = memory.block(2, {1});
  Block& c = memory.block(2, {1});
  memory.make_resident(first, {&a});
  memory.make_resident(second, {&b});
  memory.make_resident(third, {&c});
  for (DeviceResidency* device : {&second, &third, &first}) {
    memory.manager.prepare(*device, memory.plan);
    memory.manager.mark_idle(*device);
  }
  DeviceResidency& newcomer = memory.device();
  Block& fresh = memory.block(2, {1});
  memory.make_resident(newcomer, {&fresh});
  EXPECT_FALSE(b.resident());
  EXPECT_TRUE(a.resident() && c.resident());
}

TEST(Residency, TakesLowerPriorityFirst) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(2, {1});
  Block& normal = memory.block(about);
  about.priority = 0x28000000;
  Block& minimum = memory.block(about);
  memory.make_resident(device, {&normal, &minimum});
  DeviceResidency& other = memory.device();
  Block& fresh = memory.block(1, {1});
  memory.make_resident(other, {&fresh});
  EXPECT_TRUE(normal.resident());
  EXPECT_FALSE(minimum.resident());
}

TEST(Residency, TakesUnlistedBlocksBeforeListedOnes) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(2, {1});
  Block& low = memory.block(about);
  about.priority = 0x78000001;
  Block& high = memory.block(about);
  memory.make_resident(device, {&low, &high});
  memory.evict(device, {&high}, {.evict_only_if_necessary = true}).take();
  DeviceResidency& other = memory.device();
  Block& fresh = memory.block(1, {1});
  memory.make_resident(other, {&fresh});
  EXPECT_TRUE(low.resident());
  EXPECT_FALSE(high.resident());
}

TEST(Residency, IsDemotedBeforeItDrivesOutAHigherPriority) {
  Memory memory({memory_segment(1, 4), memory_segment(2, 4)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(4, {1});
  about.priority = 0xa0000000;
  Block& high = memory.block(about);
  memory.make_resident(device, {&high});
  DeviceResidency& other = memory.device();
  Block& demoted = memory.block(2, {1, 2});
  memory.make_resident(other, {&demoted});
  EXPECT_EQ(demoted.place().segment, 2u);
  EXPECT_TRUE(high.resident());
  EXPECT_EQ(memory.manager.statistics(2).demotions, 1u);

  Block& only_here = memory.block(2, {1});
  memory.make_resident(other, {&only_here});
  EXPECT_FALSE(high.resident());
}

TEST(Residency, NoDemotionMeansTheFirstPreferenceOrNothing) {
  Memory memory({memory_segment(1, 4), memory_segment(2, 4)});
  memory.manager.set_knobs({.no_demotion = true});
  DeviceResidency& device = memory.device();
  Block& a = memory.block(4, {1, 2});
  Block& b = memory.block(1, {1, 2});
  memory.make_resident(device, {&a});
  EXPECT_EQ(memory.make_resident(device, {&b}), Answer::OutOfMemory);
}

TEST(Residency, MovesItsOwnBlocksOutOfTheWayOfWhatHasNoChoice) {
  Memory memory({memory_segment(1, 4), memory_segment(2, 4)});
  DeviceResidency& device = memory.device();
  Block& flexible = memory.block(3, {1, 2});
  Block& bound = memory.block(3, {1});
  memory.make_resident(device, {&flexible});
  memory.planned();
  EXPECT_EQ(memory.make_resident(device, {&bound}), Answer::Pending);
  EXPECT_EQ(bound.place().segment, 1u);
  EXPECT_EQ(flexible.place().segment, 2u);
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "transfer_out #1 1[0x0+0x3000] -> sys\n"
            "rebind #1 1[0x0+0x3000] -> sys\n"
            "fill #2 sys -> 1[0x0+0x3000]\n"
            "rebind #2 sys -> 1[0x0+0x3000]\n"
            "transfer_in #1 sys -> 2[0x0+0x3000]\n"
            "rebind #1 sys -> 2[0x0+0x3000]\n");
}

TEST(Residency, AWidelySharedBlockIsStillFound) {
  Memory memory({memory_segment(1, 4)});
  Block& block = memory.block(1, {1});
  std::vector<DeviceResidency*> devices;
  for (int i = 0; i < 20; ++i) {
    devices.push_back(&memory.device());
    memory.make_resident(*devices.back(), {&block});
  }
  memory.evict(*devices[1], {&block}).take();
  memory.evict(*devices[15], {&block}).take();
  memory.make_resident(*devices[15], {&memory.block(1, {1})});  // has the entry that the other had
  for (int i = 0; i < 20; ++i) EXPECT_EQ(devices[i]->count(block), i == 1 || i == 15 ? 0u : 1u) << i;
  EXPECT_EQ(block.user_count(), 18u);
  memory.make_resident(*devices[15], {&block, &block});
  EXPECT_EQ(devices[15]->count(block), 2u);
  EXPECT_TRUE(memory.manager.validate());
}

TEST(Residency, BlocksOfAForgottenDeviceAreEvictedWhenTheRoomIsNeeded) {
  Memory memory({memory_segment(1, 4)});
  Block& block = memory.block(4, {1});
  DeviceResidency& device = memory.device();
  memory.make_resident(device, {&block, &block});
  memory.manager.forget_device(device);
  EXPECT_EQ(device.size(), 0u);
  EXPECT_EQ(memory.process.usage(MemoryGroup::Local), 0u);
  EXPECT_TRUE(block.resident());
  EXPECT_FALSE(block.listed());
}

TEST(ResidencyDeath, ADeviceDoesNotGoWithBlocksOnItsList) {
  EXPECT_DEATH(
      {
        Memory memory({memory_segment(1, 4)});
        auto device = std::make_unique<DeviceResidency>(memory.manager, memory.process);
        memory.make_resident(*device, {&memory.block(1, {1})});
        device.reset();
      },
      "blocks on its list");
}

}  // namespace
}  // namespace vidmm

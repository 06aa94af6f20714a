#include "vidmm/manager/manager.h"

#include <gtest/gtest.h>

#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::aperture_segment;
using testing::kPage;
using testing::Memory;
using testing::memory_segment;
using testing::traits;

// Placement.

TEST(Placement, GoesByPreferenceAndDirection) {
  Memory memory({memory_segment(1, 8), memory_segment(2, 8)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(2, {2, 1});
  about.preferred[0].from_end = true;
  Block& block = memory.block(about);
  memory.make_resident(device, {&block});
  EXPECT_EQ(to_string(block.place()), "2[0x6000+0x2000]");
}

TEST(Placement, FallsBackToTheRestOfTheSupportedSet) {
  Memory memory({memory_segment(1, 1), memory_segment(2, 8)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(2, {1});
  about.supported = 3;
  Block& block = memory.block(about);
  memory.make_resident(device, {&block});
  EXPECT_EQ(block.place().segment, 2u);
}

TEST(Placement, IgnoresAPreferenceThatIsNotSupported) {
  Memory memory({memory_segment(1, 8), memory_segment(2, 8)});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(2, {1});
  about.supported = 2;
  Block& block = memory.block(about);
  memory.make_resident(device, {&block});
  EXPECT_EQ(block.place().segment, 2u);
}

TEST(Placement, NeverUsesBadRanges) {
  SegmentInfo info = memory_segment(1, 8);
  info.bad.push_back({2 * kPage, 2 * kPage});
  Memory memory({info});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(6, {1});
  EXPECT_EQ(memory.make_resident(device, {&block}), Answer::Pending);
  EXPECT_EQ(to_string(block.place()), "1[0x4000+0x4000][0x0+0x2000]");
  Block& more = memory.block(1, {1});
  EXPECT_EQ(memory.make_resident(device, {&more}), Answer::OutOfMemory);
}

TEST(Placement, RoundsTo64KOnSuchSegments) {
  SegmentInfo info = memory_segment(1, 48);
  info.use_64k_pages = true;
  Memory memory({info});
  DeviceResidency& device = memory.device();
  Block& a = memory.block(1, {1});
  Block& b = memory.block(17, {1});
  memory.make_resident(device, {&a, &b});
  EXPECT_EQ(to_string(a.place()), "1[0x0+0x10000]");
  EXPECT_EQ(to_string(b.place()), "1[0x10000+0x20000]");
  EXPECT_EQ(memory.manager.statistics(1).resident_bytes, 48 * kPage);
}

TEST(Placement, ContiguousBlocksAreAligned) {
  Memory memory({memory_segment(1, 16)}, {});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(1, {1});
  about.alignment = 4 * kPage;
  Block& a = memory.block(about);
  Block& b = memory.block(about);
  memory.make_resident(device, {&a, &b});
  EXPECT_EQ(b.place().extents[0].offset % (4 * kPage), 0u);
  EXPECT_NE(b.place(), a.place());
}

TEST(Placement, OverlaysGoToTheLastFifth) {
  Memory memory({memory_segment(1, 20)});
  BlockTraits about = traits(2, {1});
  about.at_segment_end = true;
  Block& block = memory.block(about);
  EXPECT_EQ(memory.manager.pin(block, memory.plan), Answer::Pending);
  EXPECT_EQ(to_string(block.place()), "1[0x10000+0x2000]");
}

TEST(Placement, ContiguousVictimsAreNeighbours) {
  Memory memory({memory_segment(1, 8)}, {});
  DeviceResidency& device = memory.device();
  std::vector<Block*> small;
  for (int i = 0; i < 8; ++i) small.push_back(&memory.block(1, {1}));
  for (Block* block : small) memory.make_resident(device, {block});
  memory.manager.pin(*small[2], memory.plan);
  memory.plan.clear();
  DeviceResidency& other = memory.device();
  Block& big = memory.block(4, {1});
  EXPECT_EQ(memory.make_resident(other, {&big}), Answer::Pending);
  EXPECT_EQ(big.place().extents.size(), 1u);
  EXPECT_EQ(device.missing_count(), 4u);
  EXPECT_TRUE(small[2]->resident());
  EXPECT_TRUE(memory.manager.validate());
}

TEST(Placement, ApertureCommitLimitCountsForAddressedBlocks) {
  SegmentInfo info = aperture_segment(1, 8);
  info.commit_limit = 4 * kPage;
  Memory memory({info}, {});
  DeviceResidency& device = memory.device();
  DeviceResidency& other = memory.device();
  Block& a = memory.block(2, {1});
  Block& b = memory.block(2, {1});
  Block& c = memory.block(3, {1});
  memory.make_resident(device, {&a});
  memory.make_resident(device, {&b});
  EXPECT_EQ(memory.make_resident(other, {&c}), Answer::Pending);
  EXPECT_FALSE(a.resident() || b.resident());
}

// Blocks on their own.

TEST(Manager, RemoveDropsTheContent) {
  Memory memory({memory_segment(1, 8), aperture_segment(2, 8)}, {});
  DeviceResidency& device = memory.device();
  BlockTraits about = traits(2, {1});
  about.explicit_notification = true;
  Block& vram = memory.block(about);
  Block& mapped = memory.block(2, {2});
  memory.make_resident(device, {&vram, &mapped});
  memory.planned();
  memory.remove(vram);
  memory.remove(mapped);
  EXPECT_EQ(memory.planned(),
            "notify_evict #1\n"
            "rebind #1 1[0x0+0x2000] -> sys\n"
            "unmap_aperture #2 2[0x0+0x2000] -> sys\n"
            "rebind #2 2[0x0+0x2000] -> sys\n");
  EXPECT_EQ(device.size(), 0u);
  EXPECT_EQ(memory.manager.statistics(1).evictions_for(EvictionCause::Close), 1u);
  EXPECT_TRUE(memory.manager.validate());
}

TEST(Manager, RemovingABlockWithoutAPlacePlansNothing) {
  Memory memory({memory_segment(1, 8)});
  memory.remove(memory.block(1, {1}));
  EXPECT_EQ(memory.planned(), "");
}

TEST(Manager, PinnedBlocksStay) {
  Memory memory({memory_segment(1, 4)});
  Block& block = memory.block(2, {1});
  EXPECT_EQ(memory.manager.pin(block, memory.plan), Answer::Pending);
  EXPECT_EQ(memory.manager.pin(block, memory.plan), Answer::Done);
  DeviceResidency& device = memory.device();
  Block& big = memory.block(4, {1});
  EXPECT_EQ(memory.make_resident(device, {&big}, {.cant_trim_further = true}), Answer::OutOfMemory);
  memory.manager.unpin(block);
  EXPECT_EQ(memory.make_resident(device, {&big}, {.cant_trim_further = true}), Answer::OutOfMemory);
  memory.manager.unpin(block);
  memory.planned();
  EXPECT_EQ(memory.make_resident(device, {&big}), Answer::Pending);
  EXPECT_NE(memory.planned().find("transfer_out #1"), std::string::npos);
}

TEST(Manager, AContextAllocationIsInitialisedOnce) {
  Memory memory({memory_segment(1, 4)});
  BlockTraits about = traits(1, {1});
  about.context = true;
  Block& block = memory.block(about);
  memory.manager.pin(block, memory.plan);
  EXPECT_EQ(memory.planned(),
            "fill #1 sys -> 1[0x0+0x1000]\n"
            "rebind #1 sys -> 1[0x0+0x1000]\n"
            "init_context #1 sys -> 1[0x0+0x1000]\n");
  memory.manager.evict_all(memory.plan);
  memory.planned();
  memory.manager.pin(block, memory.plan);
  EXPECT_EQ(memory.planned().find("init_context"), std::string::npos);
  memory.manager.unpin(block);
  memory.manager.unpin(block);
}

TEST(Manager, EvictAllTakesPinnedBlocksToo) {
  Memory memory({memory_segment(1, 4)});
  Block& block = memory.block(1, {1});
  memory.manager.pin(block, memory.plan);
  DeviceResidency& device = memory.device();
  Block& listed = memory.block(1, {1});
  memory.make_resident(device, {&listed});
  memory.manager.prepare(device, memory.plan);
  memory.manager.evict_all(memory.plan);
  EXPECT_FALSE(block.resident() || listed.resident() || device.running());
  EXPECT_EQ(memory.manager.statistics(1).evictions_for(EvictionCause::Purge), 2u);
  EXPECT_EQ(memory.manager.restore_pinned(memory.plan), Answer::Pending);
  EXPECT_TRUE(block.resident());
  EXPECT_FALSE(listed.resident());
  EXPECT_EQ(memory.manager.prepare(device, memory.plan), Answer::Pending);
}

// In the order of the manager's list they would be in each other's way: the last of them fits at the beginning only.
TEST(Manager, AfterAResetPinnedBlocksAreWhereTheyWere) {
  Memory memory({memory_segment(1, 4)});
  Block& first = memory.block(2, {1});
  memory.manager.pin(first, memory.plan);
  Block& a = memory.block(1, {1});
  Block& b = memory.block(1, {1});
  memory.manager.pin(a, memory.plan);
  memory.manager.pin(b, memory.plan);
  memory.manager.unpin(first);
  memory.remove(first);
  BlockTraits aligned = traits(2, {1});
  aligned.alignment = 4 * kPage;
  aligned.contiguous = true;
  Block& c = memory.block(aligned);
  EXPECT_EQ(memory.manager.pin(c, memory.plan), Answer::Pending);
  Place before[] = {a.place(), b.place(), c.place()};
  memory.manager.lose_contents(memory.plan);
  EXPECT_FALSE(a.resident() || b.resident() || c.resident());
  Block& meanwhile = memory.block(1, {1});
  memory.make_resident(memory.device(), {&meanwhile});
  EXPECT_EQ(memory.manager.restore_pinned(memory.plan), Answer::Pending);
  EXPECT_EQ(a.place(), before[0]);
  EXPECT_EQ(b.place(), before[1]);
  EXPECT_EQ(c.place(), before[2]);
  EXPECT_TRUE(memory.manager.validate());
  for (Block* block : {&a, &b, &c}) memory.manager.unpin(*block);
}

// What a driver wrote into DXGK_ALLOCATIONINFO.Alignment is any number; a place begins with a page as well.
TEST(Manager, AnAlignmentThatIsNoMultipleOfAPage) {
  for (uint64_t alignment : {uint64_t{1}, uint64_t{5000}, uint64_t{0x3000}, uint64_t{0x7001}, uint64_t{0xFFFFFFFF}}) {
    Options options;
    options.writes_are_told = true;
    Memory memory({memory_segment(1, 256)}, options);
    for (int i = 0; i < 256; ++i) {
      Block* one[] = {&memory.block(1, {1})};
      size_t fitted = 0;
      memory.manager.prepare(one, memory.plan, fitted);
      memory.manager.release(one);
    }
    BlockTraits about = traits(2, {1});
    about.contiguous = true;
    about.alignment = alignment;
    Block* odd[] = {&memory.block(about)};
    size_t fitted = 0;
    EXPECT_EQ(memory.manager.prepare(odd, memory.plan, fitted), Answer::Pending) << alignment;
    ASSERT_EQ(odd[0]->place().extents.size(), 1u);
    EXPECT_EQ(odd[0]->place().extents[0].offset % alignment, 0u);
    EXPECT_EQ(odd[0]->place().extents[0].offset % kPage, 0u);
    memory.manager.release(odd);
    EXPECT_TRUE(memory.manager.validate());
  }
}

TEST(Manager, AResetLosesWhatWasWrittenAndKeepsTheLists) {
  Memory memory({memory_segment(1, 4), aperture_segment(2, 4)}, {});
  DeviceResidency& device = memory.device();
  Block& vram = memory.block(1, {1});
  Block& mapped = memory.block(1, {2});
  memory.make_resident(device, {&vram, &mapped});
  memory.evict(device, {&vram}).take();
  memory.make_resident(device, {&vram});
  memory.planned();
  memory.manager.lose_contents(memory.plan);
  EXPECT_EQ(memory.planned(),
            "lose #1 1[0x0+0x1000] -> sys\n"
            "rebind #1 1[0x0+0x1000] -> sys\n"
            "unmap_aperture #2 2[0x0+0x1000] -> sys\n"
            "rebind #2 2[0x0+0x1000] -> sys\n");
  EXPECT_EQ(vram.content(), Content::None);
  EXPECT_EQ(mapped.content(), Content::Backing);
  EXPECT_EQ(device.missing_count(), 2u);
  EXPECT_EQ(memory.manager.prepare(device, memory.plan), Answer::Pending);
  EXPECT_TRUE(device.complete());
}

// Packets that name their blocks (WDDM 1.x).

constexpr Options kPatching{.gpu_mmu = false, .writes_are_told = true};

TEST(Packet, PlacesInOrderAndHolds) {
  Memory memory({memory_segment(1, 4)}, kPatching);
  Block& a = memory.block(2, {1});
  Block& b = memory.block(2, {1});
  std::vector<Block*> packet{&a, &b};
  size_t fitted = 0;
  EXPECT_EQ(memory.manager.prepare(packet, memory.plan, fitted), Answer::Pending);
  EXPECT_EQ(fitted, 2u);
  Block& c = memory.block(1, {1});
  std::vector<Block*> next{&c};
  EXPECT_EQ(memory.manager.prepare(next, memory.plan, fitted), Answer::OutOfMemory);
  EXPECT_EQ(fitted, 0u);
  memory.manager.release(packet);
  EXPECT_EQ(memory.manager.prepare(next, memory.plan, fitted), Answer::Pending);
  EXPECT_FALSE(a.resident());
  EXPECT_TRUE(b.resident());
  memory.manager.release(next);
}

TEST(Packet, IsSplitWhereItDoesNotFit) {
  Memory memory({memory_segment(1, 4)}, kPatching);
  std::vector<Block*> packet;
  for (int i = 0; i < 3; ++i) packet.push_back(&memory.block(2, {1}));
  size_t fitted = 0;
  EXPECT_EQ(memory.manager.prepare(packet, memory.plan, fitted), Answer::Pending);
  EXPECT_EQ(fitted, 2u);
  std::span<Block* const> all = packet;
  EXPECT_FALSE(packet[2]->held());
  memory.manager.release(all.first(2));
  EXPECT_EQ(memory.manager.prepare(all.subspan(2), memory.plan, fitted), Answer::Pending);
  EXPECT_EQ(fitted, 1u);
  memory.manager.release(all.subspan(2));
}

TEST(Packet, GivesUpItsOwnLaterBlocksForTheEarlierOnes) {
  Memory memory({memory_segment(1, 4)}, kPatching);
  Block& later = memory.block(3, {1});
  Block& earlier = memory.block(2, {1});
  size_t fitted = 0;
  std::vector<Block*> first{&later};
  memory.manager.prepare(first, memory.plan, fitted);
  memory.manager.release(first);
  std::vector<Block*> packet{&earlier, &later};
  EXPECT_EQ(memory.manager.prepare(packet, memory.plan, fitted), Answer::Pending);
  EXPECT_EQ(fitted, 1u);
  EXPECT_TRUE(earlier.held());
  EXPECT_FALSE(later.resident() || later.held());
  memory.manager.release(std::span<Block* const>(packet).first(1));
}

TEST(Packet, CleanBlocksAreDiscardedAndWrittenOnesCopied) {
  Memory memory({memory_segment(1, 2)}, kPatching);
  Block& a = memory.block(2, {1});
  Block& b = memory.block(2, {1});
  size_t fitted = 0;
  auto run = [&](Block& block) {
    std::vector<Block*> packet{&block};
    EXPECT_NE(memory.manager.prepare(packet, memory.plan, fitted), Answer::OutOfMemory);
    memory.manager.release(packet);
  };
  run(a);
  memory.manager.mark_written(a);
  run(b);
  memory.planned();
  run(a);
  EXPECT_EQ(memory.planned(),
            "wait_idle #2\n"
            "discard #2 1[0x0+0x2000] -> sys\n"
            "rebind #2 1[0x0+0x2000] -> sys\n"
            "transfer_in #1 sys -> 1[0x0+0x2000]\n"
            "rebind #1 sys -> 1[0x0+0x2000]\n");
  run(b);
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "discard #1 1[0x0+0x2000] -> sys\n"
            "rebind #1 1[0x0+0x2000] -> sys\n"
            "fill #2 sys -> 1[0x0+0x2000]\n"
            "rebind #2 sys -> 1[0x0+0x2000]\n");
}

TEST(Packet, ALockedBlockThatTheCpuMustSeeCannotBePlacedElsewhere) {
  Memory memory({memory_segment(1, 2)}, kPatching);
  BlockTraits about = traits(1, {1});
  about.cpu_visible = true;
  Block& block = memory.block(about);
  memory.manager.lock(block, memory.plan).take();
  size_t fitted = 0;
  std::vector<Block*> packet{&block};
  EXPECT_EQ(memory.manager.prepare(packet, memory.plan, fitted), Answer::Locked);
  memory.manager.unlock(block);
  EXPECT_EQ(memory.manager.prepare(packet, memory.plan, fitted), Answer::Pending);
  memory.manager.release(packet);
}

TEST(Packet, LeavesThroughTheEvictionAperture) {
  Memory memory({memory_segment(1, 2), aperture_segment(2, 4)}, kPatching);
  BlockTraits about = traits(1, {1});
  about.eviction = 2;
  Block& block = memory.block(about);
  memory.manager.pin(block, memory.plan);
  memory.manager.mark_written(block);
  memory.planned();
  memory.manager.evict_all(memory.plan);
  EXPECT_EQ(memory.planned(),
            "wait_idle #1\n"
            "map_aperture #1 sys -> 2[0x0+0x1000]\n"
            "transfer_out #1 1[0x0+0x1000] -> 2[0x0+0x1000]\n"
            "unmap_aperture #1 2[0x0+0x1000] -> sys\n"
            "rebind #1 1[0x0+0x1000] -> sys\n");
  EXPECT_TRUE(memory.manager.validate());
}

TEST(Manager, CountsWhatItDid) {
  Memory memory({memory_segment(1, 4)});
  DeviceResidency& device = memory.device();
  Block& block = memory.block(2, {1});
  memory.make_resident(device, {&block});
  memory.evict(device, {&block}).take();
  memory.make_resident(device, {&block});
  memory.evict(device, {&block}, {.not_written_to = true}).take();
  const SegmentStatistics& statistics = memory.manager.statistics(1);
  EXPECT_EQ(statistics.paged_in_bytes, 4 * kPage);
  EXPECT_EQ(statistics.paged_out_bytes, 2 * kPage);
  EXPECT_EQ(statistics.discarded_bytes, 2 * kPage);
  EXPECT_EQ(statistics.evictions_for(EvictionCause::Evict), 2u);
  EXPECT_EQ(statistics.evicted_bytes_by_priority[2], 4 * kPage);
  EXPECT_EQ(statistics.resident_blocks, 0u);
}

}  // namespace
}  // namespace vidmm

// The index of holes against a walk over the whole segment: the same range, and the same victims in the same order.

#include "vidmm/segment/hole_index.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/rng.h"
#include "base/testing/seed.h"
#include "vidmm/segment/placement_search.h"
#include "vidmm/testing/linear_placement.h"
#include "vidmm/testing/memory.h"

namespace vidmm {
namespace {

using testing::kPage;
using testing::LinearPlacement;
using testing::Memory;
using testing::memory_segment;

SegmentInfo holed_segment(uint64_t pages, uint64_t commit_pages) {
  SegmentInfo info = memory_segment(1, pages);
  info.commit_limit = commit_pages * kPage;
  info.bad = {{7 * kPage, 2 * kPage}, {(pages / 2) * kPage, kPage}};
  return info;
}

// Blocks of a few devices that come, go, are offered, pinned, locked, and whose devices run and rest.
class Traffic {
 public:
  Traffic(uint64_t seed, SegmentInfo segment, const Options& options, uint64_t largest)
      : rng_(seed), options_(options), memory_({segment}, options), largest_(largest) {
    for (size_t i = 0; i < 5; ++i) devices_.push_back(&memory_.device());
    for (size_t i = 0; i < 300; ++i) add_block();
  }

  void step() {
    Manager& manager = memory_.manager;
    DeviceResidency& device = any_device();
    Block* block = memory_.live[rng_.below(memory_.live.size())];
    memory_.plan.clear();
    switch (rng_.below(10)) {
      case 0:
      case 1:
      case 2:
      case 3:
        manager.make_resident(device, {&block, 1}, {.cant_trim_further = rng_.below(4) == 0}, memory_.plan,
                              memory_.trim);
        break;
      case 4:
        if (device.count(*block) == 0) break;
        manager.evict(device, {&block, 1}, {.evict_only_if_necessary = rng_.below(2) == 0}, memory_.plan, memory_.trim)
            .take();
        break;
      case 5:
        manager.prepare(device, memory_.plan);
        break;
      case 6:
        manager.mark_idle(device);
        break;
      case 7: {
        ReclaimResult result;
        if (block->offered()) {
          manager.reclaim({&block, 1}, {&result, 1}, memory_.plan);
        } else {
          static_cast<void>(manager.offer({&block, 1}, static_cast<OfferPriority>(1 + rng_.below(3)), memory_.plan));
        }
        break;
      }
      case 8:
        if (block->pinned()) {
          manager.unpin(*block);
        } else if (rng_.below(4) == 0 && !block->offered()) {
          manager.pin(*block, memory_.plan);
        } else {
          manager.set_priority(*block, static_cast<uint32_t>(rng_.next()));
        }
        break;
      default:
        if (block->pinned()) break;
        memory_.remove(*block);
        add_block();
    }
  }

  // Asks for room as the manager would, for a block that need not be there.
  void compare() {
    Occupancy& occupancy = memory_.manager.occupancy();
    const Segment& segment = occupancy.segment(1);
    HoleRequest request{(1 + rng_.below(2 * largest_)) * kPage, kPage << rng_.below(3), 0, segment.space.size()};
    if (rng_.below(3) != 0) request = {4 * kPage, kPage, 0, segment.space.size()};  // most are alike
    if (rng_.below(4) == 0) request.begin = segment.footprint(segment.space.size() * 4 / 5);
    if (request.alignment == 4 * kPage) request.alignment = 3 * kPage;
    auto highest_class = static_cast<uint32_t>(rng_.below(kPriorityClasses));
    Claim claim{rng_.below(3) == 0 ? nullptr : &any_device(), rng_.below(2) == 0 ? Reach::Idle : Reach::Running};
    auto expected = LinearPlacement::choose(occupancy, 1, request, highest_class, claim);
    auto hole = occupancy.holes(1).find(request, highest_class, claim);
    ASSERT_EQ(hole.has_value(), expected.has_value());
    if (!hole) return;
    ++found_;
    ASSERT_EQ(hole->extent, expected->extent);
  }

  // The whole of PlacementSearch::find() for a block.
  void compare_room() {
    Occupancy& occupancy = memory_.manager.occupancy();
    BlockTraits traits = testing::traits(1 + rng_.below(2 * largest_), {1});
    traits.contiguous = true;
    traits.priority = static_cast<uint32_t>(rng_.next());
    traits.at_segment_end = rng_.below(4) == 0;
    Block block(traits);
    Claim claim{rng_.below(3) == 0 ? nullptr : &any_device(), Reach::Idle};
    PlacementSearch room(occupancy, options_);
    PlacementSearch::Spot spot;
    bool found = room.find(block, claim, spot);
    SegmentSpace::Request request = room.request(block, occupancy.segment(1));
    ExtentList trial;
    SegmentSpace& space = occupancy.segment(1).space;
    if (occupancy.segment(1).commit_left() >= request.bytes && space.allocate(request, trial)) {
      space.free(*trial.begin());
      ASSERT_TRUE(found && spot.victims.empty());
      return;
    }
    for (uint32_t highest : {priority_class(traits.priority), kPriorityClasses - 1}) {
      auto expected = LinearPlacement::choose(
          occupancy, 1, {request.bytes, request.alignment, request.begin, request.end}, highest, claim);
      if (!expected || !expected->commits) continue;
      ASSERT_TRUE(found);
      ASSERT_EQ(spot.request.begin, expected->extent.offset);
      ASSERT_EQ(std::vector<Block*>(spot.victims.begin(), spot.victims.end()), expected->victims);
      ++found_;
      return;
    }
    ASSERT_FALSE(found);
  }

  size_t found() const { return found_; }
  bool validate() { return memory_.manager.validate(); }
  void end() {
    for (Block* block : memory_.live) {
      while (block->pinned()) memory_.manager.unpin(*block);
    }
  }

 private:
  DeviceResidency& any_device() { return *devices_[rng_.below(devices_.size())]; }
  void add_block() {
    BlockTraits traits = testing::traits(1 + rng_.below(largest_), {1});
    traits.priority = static_cast<uint32_t>(rng_.next());
    traits.contiguous = rng_.below(2) == 0;
    memory_.block(traits);
  }

  base::Rng rng_;
  Options options_;
  Memory memory_;
  uint64_t largest_;
  std::vector<DeviceResidency*> devices_;
  size_t found_ = 0;
};

class HoleIndexTest : public ::testing::TestWithParam<bool> {};

TEST_P(HoleIndexTest, FindsWhatAWalkFinds) {
  uint64_t seed = base::seed_for_test(1);
  for (uint64_t run = 0; run < 4; ++run) {
    SCOPED_TRACE("DRYDOCK_SEED=" + std::to_string(seed + run));
    uint64_t pages = run % 2 == 0 ? 700 : 2000;
    uint64_t limit = run < 2 ? pages : pages * 3 / 4;
    Traffic traffic(seed + run, holed_segment(pages, limit), {.gpu_mmu = GetParam()}, run % 2 == 0 ? 6 : 40);
    for (int i = 0; i < 1000; ++i) {
      traffic.step();
      if (i % 3 == 0) traffic.compare();
      if (i % 3 == 1) traffic.compare_room();
      if (HasFatalFailure()) break;
    }
    EXPECT_TRUE(traffic.validate());
    EXPECT_GT(traffic.found(), 100u);
    traffic.end();
    if (HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Modes, HoleIndexTest, ::testing::Values(false, true));

// More changes than are recorded: the table is made anew.
TEST(HoleIndex, SurvivesMoreChangesThanItKeeps) {
  Memory memory({memory_segment(1, 256)}, {});
  DeviceResidency& device = memory.device();
  std::vector<Block*> blocks;
  for (size_t i = 0; i < 256; ++i) blocks.push_back(&memory.block(1, {1}));
  memory.manager.make_resident(device, blocks, {}, memory.plan, memory.trim);
  Occupancy& occupancy = memory.manager.occupancy();
  HoleRequest request{2 * kPage, kPage, 0, 256 * kPage};
  for (uint32_t round = 0; round < 6; ++round) {
    auto hole = occupancy.holes(1).find(request, 4, {});
    ASSERT_TRUE(hole);
    EXPECT_EQ(hole->extent, LinearPlacement::choose(occupancy, 1, request, 4, {})->extent) << round;
    for (uint32_t i = 0; i < 2000; ++i) {
      memory.manager.set_priority(*blocks[(i * 7 + round) % 200], i % 200 < 3 * round ? 0 : 0x78000000);
    }
  }
}

}  // namespace
}  // namespace vidmm

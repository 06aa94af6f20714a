// Random calls against a simple oracle: counts in a map, contents as one number per page, and every op of every plan
// executed on a model of the memory. What a block holds must survive all that the manager does with it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "base/rng.h"
#include "vidmm/testing/memory.h"
#include "vidmm/testing/simulated_memory.h"

namespace vidmm {
namespace {

using testing::aperture_segment;
using testing::kPage;
using testing::memory_segment;
using testing::SimulatedMemory;

constexpr size_t kBlocks = 24;
constexpr size_t kDevices = 4;

std::vector<SegmentInfo> segments() {
  SegmentInfo visible = memory_segment(1, 40);
  visible.cpu_visible = true;
  visible.bad.push_back({7 * kPage, 2 * kPage});
  SegmentInfo hidden = memory_segment(2, 96);
  hidden.use_64k_pages = true;
  SegmentInfo aperture = aperture_segment(3, 32);
  aperture.commit_limit = 24 * kPage;
  return {visible, hidden, aperture};
}

// What the test knows of a block without asking the manager.
struct Truth {
  std::map<DeviceResidency*, uint32_t> counts;
  std::map<DeviceResidency*, bool> written;  // by that device since it lists the block
  uint64_t content = 0;
  bool unknown = false;  // discarded, lost
  bool offered = false;
  uint32_t locks = 0;
  uint32_t pins = 0;
};

class Model {
 public:
  Model(uint64_t seed, const Options& options)
      : rng_(seed), options_(options), memory_(segments(), options), second_(memory_.manager.budgets(), 2) {
    for (size_t i = 0; i < kDevices; ++i) devices_.push_back(&memory_.device(i < 3 ? memory_.process : second_));
    for (size_t i = 0; i < kBlocks; ++i) add_block();
  }
  ~Model() {
    for (DeviceResidency* device : devices_) memory_.manager.forget_device(*device);
    memory_.devices.clear();
  }

  void step() {
    switch (rng_.below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
        make_resident();
        break;
      case 4:
      case 5:
      case 6:
        evict();
        break;
      case 7:
      case 8:
      case 9:
        prepare_and_run();
        break;
      case 10:
        packet();
        break;
      case 11:
        pin_or_unpin();
        break;
      case 12:
        lock_or_unlock();
        break;
      case 13:
      case 14:
        offer_or_reclaim();
        break;
      case 15:
        memory_.manager.mark_idle(any_device());
        break;
      case 16:
        memory_.manager.set_priority(any_block(), static_cast<uint32_t>(rng_.next()) | 1);
        break;
      case 17:
        replace_block();
        break;
      case 18:
        defragment();
        break;
      case 19:
        rarely();
        break;
    }
    if (::testing::Test::HasFatalFailure()) return;
    check();
  }

 private:
  void add_block() {
    BlockTraits about;
    about.bytes = (1 + rng_.below(12)) * kPage;
    about.supported = static_cast<uint32_t>(rng_.below(8));
    for (SegmentPreference& preference : about.preferred) {
      preference = {static_cast<uint32_t>(rng_.below(4)), rng_.chance(1, 2)};
    }
    about.alignment = rng_.chance(1, 4) ? 4 * kPage : 0;
    about.eviction = rng_.chance(1, 2) ? 4 : 0;
    about.contiguous = rng_.chance(1, 3);
    about.explicit_notification = rng_.chance(1, 3);
    about.cpu_visible = rng_.chance(2, 3);
    about.existing_sysmem = rng_.chance(1, 6);
    Block& block = memory_.block(about);
    blocks_.push_back(&block);
    simulated_.add(block);
    Truth& truth = truth_[&block];
    truth.content = about.existing_sysmem ? simulated_.write_backing(block, ++stamp_) : 0;
  }

  Block& any_block() { return *blocks_[rng_.below(blocks_.size())]; }
  DeviceResidency& any_device() { return *devices_[rng_.below(devices_.size())]; }
  std::vector<Block*> any_blocks(size_t most) {
    std::vector<Block*> list(1 + rng_.below(most));
    for (Block*& block : list) block = &any_block();
    return list;
  }
  std::vector<Block*> any_listed(DeviceResidency& device, size_t most) {
    std::vector<Block*> listed;
    for (Block* block : blocks_) {
      if (truth_[block].counts[&device] != 0) listed.push_back(block);
    }
    if (listed.empty()) return listed;
    std::vector<Block*> list(1 + rng_.below(most));
    for (Block*& block : list) block = listed[rng_.below(listed.size())];
    return list;
  }

  // What must not have changed when a request was refused.
  std::vector<Place> places() const {
    std::vector<Place> list;
    for (const Block* block : blocks_) list.push_back(block->place());
    return list;
  }

  void execute() {
    simulated_.execute(memory_.plan);
    memory_.plan.clear();
  }

  void make_resident() {
    DeviceResidency& device = any_device();
    std::vector<Block*> list = any_blocks(4);
    std::vector<Place> before = places();
    Answer answer = memory_.make_resident(device, list, {.cant_trim_further = rng_.chance(1, 4)});
    if (answer == Answer::OutOfMemory || answer == Answer::Locked) {
      EXPECT_TRUE(memory_.plan.empty());
      EXPECT_TRUE(places() == before);
      return;
    }
    EXPECT_EQ(answer == Answer::Done, memory_.plan.empty());
    for (Block* block : list) {
      Truth& truth = truth_[block];
      if (truth.counts[&device]++ == 0) truth.written[&device] = false;
      EXPECT_TRUE(block->resident() || truth.offered);
    }
    execute();
  }

  void evict() {
    DeviceResidency& device = any_device();
    std::vector<Block*> list = rng_.chance(1, 8) ? any_blocks(3) : any_listed(device, 3);
    EvictFlags flags{.evict_only_if_necessary = rng_.chance(1, 2), .not_written_to = rng_.chance(1, 3)};
    std::map<Block*, uint32_t> asked;
    bool legal = true;
    for (Block* block : list) {
      legal &= ++asked[block] <= truth_[block].counts[&device];
      flags.not_written_to &= !truth_[block].written[&device];
    }
    EXPECT_EQ(memory_.evict(device, list, flags).ok(), legal);
    if (legal) {
      for (Block* block : list) --truth_[block].counts[&device];
    }
    execute();
  }

  void prepare_and_run() {
    DeviceResidency& device = any_device();
    std::vector<Place> before = places();
    Reach reach = rng_.chance(1, 4) ? Reach::Running : Reach::Idle;
    Answer answer = memory_.manager.prepare(device, memory_.plan, reach);
    if (answer == Answer::OutOfMemory) {
      EXPECT_TRUE(memory_.plan.empty());
      EXPECT_TRUE(places() == before);
      return;
    }
    execute();
    EXPECT_TRUE(device.running() && device.complete());
    for (Block* block : blocks_) {
      Truth& truth = truth_[block];
      if (truth.counts[&device] == 0 || truth.offered) continue;
      EXPECT_TRUE(block->resident());
      if (!rng_.chance(1, 3)) continue;
      gpu_write(*block);
      truth.written[&device] = true;
    }
  }

  void gpu_write(Block& block) {
    Truth& truth = truth_[&block];
    truth.content = simulated_.write(block, ++stamp_);
    truth.unknown = false;
    if (options_.writes_are_told) memory_.manager.mark_written(block);
  }

  void packet() {
    std::vector<Block*> list = any_blocks(6);
    std::erase_if(list, [&](Block* block) { return truth_[block].offered; });
    size_t fitted = 0;
    Answer answer = memory_.manager.prepare(list, memory_.plan, fitted);
    EXPECT_EQ(fitted == 0 && !list.empty(), answer == Answer::OutOfMemory || answer == Answer::Locked);
    execute();
    std::span<Block* const> placed = std::span<Block* const>(list).first(fitted);
    for (Block* block : placed) {
      EXPECT_TRUE(block->resident());
      if (rng_.chance(1, 2)) gpu_write(*block);
    }
    memory_.manager.release(placed);
    for (Block* block : blocks_) EXPECT_FALSE(block->held());
  }

  void pin_or_unpin() {
    Block& block = any_block();
    Truth& truth = truth_[&block];
    if (truth.pins != 0) {
      memory_.manager.unpin(block);
      --truth.pins;
    } else if (!truth.offered && rng_.chance(1, 3)) {
      if (memory_.manager.pin(block, memory_.plan) == Answer::OutOfMemory) return;
      ++truth.pins;
      execute();
      EXPECT_TRUE(block.resident());
      gpu_write(block);
    }
  }

  void lock_or_unlock() {
    Block& block = any_block();
    Truth& truth = truth_[&block];
    if (truth.locks != 0 && rng_.chance(1, 2)) {
      memory_.manager.unlock(block);
      --truth.locks;
      return;
    }
    base::Result<Answer> answer = memory_.manager.lock(block, memory_.plan);
    EXPECT_FALSE(answer.ok() && (truth.offered || !block.traits().cpu_visible));
    if (!answer.ok()) return;
    ++truth.locks;
    execute();
    EXPECT_NE(block.place().segment, 2u);
    truth.content = simulated_.write(block, ++stamp_);
    truth.unknown = false;
  }

  void offer_or_reclaim() {
    std::vector<Block*> list = any_blocks(3);
    if (rng_.chance(1, 2)) {
      bool legal = true;
      for (Block* block : list) {
        Truth& truth = truth_[block];
        legal &= !truth.offered && truth.locks == 0 && truth.pins == 0;
      }
      EXPECT_EQ(memory_.manager.offer(list, static_cast<OfferPriority>(1 + rng_.below(4)), memory_.plan).ok(), legal);
      if (legal) {
        for (Block* block : list) truth_[block].offered = true;
      }
      execute();
      return;
    }
    std::vector<ReclaimResult> results(list.size());
    memory_.manager.reclaim(list, results, memory_.plan);
    for (size_t i = 0; i < list.size(); ++i) {
      truth_[list[i]].offered = false;
      if (results[i] == ReclaimResult::Discarded) truth_[list[i]].unknown = true;
    }
    execute();
  }

  void replace_block() {
    Block& block = any_block();
    if (truth_[&block].locks != 0 || truth_[&block].pins != 0) return;
    memory_.remove(block);
    execute();
    simulated_.remove(block);
    truth_.erase(&block);
    std::erase(blocks_, &block);
    add_block();
  }

  void defragment() {
    uint32_t id = 1 + static_cast<uint32_t>(rng_.below(3));
    uint64_t before = memory_.manager.segment(id).space.largest_gap();
    Answer answer = memory_.manager.defragment(id, memory_.plan);
    uint64_t after = memory_.manager.segment(id).space.largest_gap();
    EXPECT_TRUE(answer == Answer::Done ? after == before : after > before);
    execute();
  }

  void rarely() {
    if (!rng_.chance(1, 4)) return;
    if (rng_.chance(1, 2)) {
      memory_.manager.evict_all(memory_.plan);
      execute();
    } else {
      for (Block* block : blocks_) {
        if (block->content() == Content::Segment) truth_[block].unknown = true;
      }
      memory_.manager.lose_contents(memory_.plan);
      execute();
      simulated_.forget_notifications();
    }
    for (Block* block : blocks_) EXPECT_TRUE(block->place().none());
    if (memory_.manager.restore_pinned(memory_.plan) == Answer::OutOfMemory) {
      EXPECT_TRUE(memory_.plan.empty());
      for (Block* block : blocks_) {
        for (; truth_[block].pins != 0; --truth_[block].pins) memory_.manager.unpin(*block);
      }
    }
    execute();
  }

  void check() {
    ASSERT_TRUE(memory_.manager.validate());
    for (Block* block : blocks_) {
      Truth& truth = truth_[block];
      ASSERT_EQ(simulated_.bound(*block), block->place()) << "block " << block->ordinal();
      ASSERT_EQ(block->offered(), truth.offered);
      ASSERT_EQ(block->lock_count(), truth.locks);
      for (DeviceResidency* device : devices_) ASSERT_EQ(device->count(*block), truth.counts[device]);
      for (const Extent& extent : block->place().extents) {
        ASSERT_FALSE(block->place().segment == 1 && extent.offset < 9 * kPage && extent.end() > 7 * kPage);
      }
      if (block->traits().contiguous && block->place().extents.size() != 0) {
        ASSERT_EQ(block->place().extents.size(), 1u);
        ASSERT_EQ(block->place().extents[0].offset % std::max(block->traits().alignment, kPage), 0u);
      }
      if (block->discarded()) truth.unknown = true;
      if (truth.unknown && block->content() == Content::None) continue;
      uint64_t content = simulated_.read(*block);
      ASSERT_NE(content, SimulatedMemory::kMixed) << "block " << block->ordinal();
      if (truth.unknown) truth.content = content;
      truth.unknown = false;
      ASSERT_EQ(content, truth.content) << "block " << block->ordinal();
    }
  }

  base::Rng rng_;
  Options options_;
  testing::Memory memory_;
  ProcessMemory second_;
  SimulatedMemory simulated_{segments()};
  std::vector<DeviceResidency*> devices_;
  std::vector<Block*> blocks_;
  std::map<Block*, Truth> truth_;
  uint64_t stamp_ = 0;
};

uint64_t first_seed() {
  const char* given = std::getenv("DRYDOCK_SEED");
  return given ? std::strtoull(given, nullptr, 0) : std::random_device{}();
}

void run(const Options& options) {
  uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + 5; ++seed) {
    SCOPED_TRACE(::testing::Message() << "DRYDOCK_SEED=" << seed);
    Model model(seed, options);
    for (int i = 0; i < 400; ++i) {
      model.step();
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(ManagerModel, GpuPageTables) { run({.gpu_mmu = true, .move_paging = true}); }
TEST(ManagerModel, PhysicalAddresses) { run({.move_paging = true}); }
TEST(ManagerModel, ToldWrites) { run({.writes_are_told = true}); }
TEST(ManagerModel, EveryOfferIsDiscarded) { run({.gpu_mmu = true, .knobs = {.always_discard_offer = true}}); }
TEST(ManagerModel, OffersAreDecommitted) { run({.gpu_mmu = true, .knobs = {.always_decommit_offer = true}}); }
TEST(ManagerModel, NoOfferIsDiscarded) { run({.knobs = {.never_discard_offer = true}}); }

}  // namespace
}  // namespace vidmm

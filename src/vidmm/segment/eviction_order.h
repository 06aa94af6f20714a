#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vidmm/manager/residency.h"

namespace vidmm {

// Which blocks a search for victims may take.
enum class Reach : uint8_t {
  Idle,     // blocks of running devices are left alone
  Running,  // theirs too: such a device waits until it is prepared again
};

// For which device room is made.
struct Claim {
  const DeviceResidency* device = nullptr;  // what is on its list stays
  Reach reach = Reach::Idle;
};

// A block that may be evicted, and how costly that is: offered ones 0 to 2, unlisted ones 3 to 7, listed ones 8 to 12,
// each by priority.
struct Victim {
  Block* block;
  uint32_t tier;
};

// Which blocks are evicted first, for every segment. Owned by the occupancy.
//
// A block in a segment is in exactly one group: of those offered at one priority, of those that no device lists, or of
// its first device. The groups of devices are kept by age, those of devices that never ran apart: a device that is
// scheduled goes to the end of each list with the few groups that it has. So neither a packet nor a search looks at
// devices that have nothing there.
class EvictionOrder {
 public:
  EvictionOrder(size_t segments, bool locked_blocks_stay)
      : segments_(segments), locked_blocks_stay_(locked_blocks_stay) {}

  void link(Block& block);
  // Back to the place that it had before a request that failed took it away.
  void link_first(Block& block);
  void unlink(Block& block);

  void attach(DeviceResidency& device);
  void detach(DeviceResidency& device);
  // The device is the one scheduled last.
  void scheduled(DeviceResidency& device);

  bool may_go(const Block& block, const Claim& claim) const;
  // How costly it is to evict it. It must be in a segment.
  static uint32_t tier(const Block& block) {
    if (block.offered()) return static_cast<uint32_t>(block.offer_state()) - 1;
    return (block.listed() ? kListedTier : kUnlistedTier) + priority_class(block.traits().priority);
  }
  // Whether a search up to that class finds blocks of the tier at all.
  static bool in_class(uint32_t tier, uint32_t highest_class) {
    return tier < kUnlistedTier || (tier - kUnlistedTier) % kPriorityClasses <= highest_class;
  }
  // The order in which collect() finds two blocks of one segment.
  bool goes_before(const Block& a, const Block& b) const;
  // Every block of the segment, in no particular order.
  template <typename F>
  void for_each(uint32_t segment, F&& visit) const {
    auto all_of = [&](const VictimGroup& group) {
      for (Block* block = group.first; block; block = block->group_next_) visit(*block);
    };
    const SegmentGroups& own = segments_[segment - 1];
    for (const VictimGroup& group : own.offered) all_of(group);
    for (const VictimGroup& group : own.unlisted) all_of(group);
    for (const auto* lists : {&own.never_ran, &own.ran}) {
      for (const GroupsByAge& groups : *lists) {
        for (const VictimGroup* group = groups.oldest; group; group = group->newer) all_of(*group);
      }
    }
  }
  // Appends those of the segment that may be evicted, the first to be evicted first, until `enough(block)` is true. A
  // block above `highest_class` is among them only if it is offered.
  template <typename F>
  void collect(uint32_t segment, uint32_t highest_class, const Claim& claim, std::vector<Victim>& out, F&& enough) {
    auto take = [&](const VictimGroup& group, uint32_t tier) {
      for (Block* block = group.first; block; block = block->group_next_) {
        if (!may_go(*block, claim)) continue;
        out.push_back({block, tier});
        if (enough(*block)) return true;
      }
      return false;
    };
    const SegmentGroups& own = segments_[segment - 1];
    for (uint32_t i = 0; i < kUnlistedTier; ++i) {
      if (take(own.offered[i], i)) return;
    }
    for (uint32_t i = 0; i <= highest_class; ++i) {
      if (take(own.unlisted[i], kUnlistedTier + i)) return;
    }
    for (uint32_t i = 0; i <= highest_class; ++i) {
      for (bool running : {false, true}) {
        if (running && claim.reach == Reach::Idle) break;
        for (const GroupsByAge* groups : {&own.never_ran[i], &own.ran[i]}) {
          for (const VictimGroup* group = groups->oldest; group; group = group->newer) {
            if (group->device == claim.device || group->device->running() != running) continue;
            if (take(*group, kListedTier + i)) return;
          }
        }
      }
    }
  }

  bool in_right_group(const Block& block) {
    return block.group_ == (block.place().none() ? nullptr : &group_of(block));
  }
  // Groups of devices are where they must be, by age. For tests.
  bool validate();

 private:
  struct SegmentGroups {
    std::array<VictimGroup, 3> offered;
    std::array<VictimGroup, kPriorityClasses> unlisted;
    std::array<GroupsByAge, kPriorityClasses> never_ran;  // of devices, by creation
    std::array<GroupsByAge, kPriorityClasses> ran;
  };
  static constexpr uint32_t kUnlistedTier = 3;
  static constexpr uint32_t kListedTier = kUnlistedTier + kPriorityClasses;

  VictimGroup& group_of(const Block& block);
  static uint64_t age(const VictimGroup& group) {
    const DeviceResidency& device = *group.device;
    return device.last_scheduled_ ? device.last_scheduled_ : device.created_;
  }
  GroupsByAge& place_of(const VictimGroup& group);
  static void set_occupied(const VictimGroup& group, bool occupied);
  static void prefetch_after(const VictimGroup& group);
  void enter(VictimGroup& group);
  void leave(VictimGroup& group);

  std::vector<SegmentGroups> segments_;
  bool locked_blocks_stay_;
  uint64_t created_ = 0;  // devices
  int64_t first_order_ = 0;
  int64_t last_order_ = 0;
};

}  // namespace vidmm

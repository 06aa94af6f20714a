#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vidmm/residency.h"

namespace vidmm {

// How far a search for victims goes.
enum class Reach : uint8_t {
  Idle,     // blocks of running devices are left alone
  Running,  // theirs too: such a device waits until it is prepared again
};

// For whom room is made.
struct Claim {
  const DeviceResidency* device = nullptr;  // what is on its list stays
  Reach reach = Reach::Idle;
};

// A block that may go, and how dear that is: offered ones 0 to 2, unlisted ones 3 to 7, listed ones 8 to 12, each by
// priority.
struct Victim {
  Block* block;
  uint32_t tier;
};

// Who would have to go first, for every segment. Owned by the occupancy.
//
// A block in a segment is in exactly one group: of those offered at one priority, of those that no device lists, or of
// its first device. A device that is scheduled takes all its groups with it by one number (last_scheduled_), and a
// search sorts the few devices by it: what happens with every packet is cheap, what happens when memory is short may
// think.
class Victims {
 public:
  Victims(size_t segments, bool locked_blocks_stay) : segments_(segments), locked_blocks_stay_(locked_blocks_stay) {}

  void link(Block& block);
  // Where it was before a request that failed took it away.
  void link_first(Block& block);
  void unlink(Block& block);

  void attach(DeviceResidency& device);
  void detach(DeviceResidency& device);

  bool may_go(const Block& block, const Claim& claim) const;
  // Appends those of the segment that may go, the first to go first, until `enough(block)` is true. Nothing that is
  // above `highest_class` is among them unless it is offered.
  template <typename F>
  void collect(uint32_t segment, uint32_t highest_class, const Claim& claim, std::vector<Victim>& out, F&& enough) {
    order_groups(segment, highest_class, claim);
    for (const auto& [group, tier] : order_) {
      for (Block* block = group->first; block; block = block->group_next_) {
        if (!may_go(*block, claim)) continue;
        out.push_back({block, tier});
        if (enough(*block)) return;
      }
    }
  }

  bool in_right_group(const Block& block) {
    return block.group_ == (block.place().none() ? nullptr : &group_of(block));
  }

 private:
  struct SegmentGroups {
    std::array<VictimGroup, 3> offered;
    std::array<VictimGroup, kPriorityClasses> unlisted;
  };

  struct Ordered {
    const VictimGroup* group;
    uint32_t tier;
  };

  VictimGroup& group_of(const Block& block);
  void order_groups(uint32_t segment, uint32_t highest_class, const Claim& claim);

  std::vector<SegmentGroups> segments_;
  std::vector<DeviceResidency*> devices_;  // in the order of their creation
  bool locked_blocks_stay_;
  std::vector<DeviceResidency*> by_age_;  // of the search under way, as are the groups
  std::vector<Ordered> order_;
};

}  // namespace vidmm

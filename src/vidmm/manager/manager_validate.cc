// Checks that all parts of the manager's state agree. For tests.

#include <algorithm>
#include <map>

#include "vidmm/manager/manager.h"

namespace vidmm {

// Every extent belongs to one block, and every sum is the sum of its parts.
bool Manager::validate() {
  for (uint32_t id = 1; id <= segment_count(); ++id) {
    const Segment& each = segment(id);
    if (!each.space.validate()) return false;
    std::vector<Extent> owned;
    uint64_t committed = 0;
    uint64_t count = 0;
    for (const Block* block : blocks_) {
      if (block->place().segment != id) continue;
      committed += each.footprint(block->bytes());
      ++count;
      owned.insert(owned.end(), block->place().extents.begin(), block->place().extents.end());
    }
    std::sort(owned.begin(), owned.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
    std::vector<Extent> live;
    each.space.for_each_live([&](const Extent& extent) { live.push_back(extent); });
    if (owned != live || committed != each.committed || committed > each.info.commit_limit) return false;
    if (each.statistics.resident_bytes != committed || each.statistics.resident_blocks != count) return false;
  }

  std::map<const ProcessMemory*, uint64_t> usage;
  for (const Block* block : blocks_) {
    if (!pager_.occupancy().victims().in_right_group(*block)) return false;
    if (block->content() == Content::Segment &&
        (block->place().none() || segment(block->place().segment).info.aperture))
      return false;
    std::map<const ProcessMemory*, uint64_t> users;
    uint32_t user_count = 0;
    for (const ResidencyEntry* user = block->users_; user; user = user->next_user) {
      users[&user->device->process()] = block->bytes();
      ++user_count;
      if (user->count == 0 || user->device->find(*block) != user) return false;
      if (user->missing != (block->required() && !block->resident())) return false;
    }
    if (user_count != block->user_count_) return false;
    for (const auto& [process, bytes] : users) usage[process] += bytes;
  }
  for (const ProcessMemory* process : budgets_.processes()) {
    if (usage[process] != process->usage(MemoryGroup::Local) + process->usage(MemoryGroup::NonLocal)) return false;
  }

  if (!pager_.occupancy().victims().validate()) return false;
  for (const DeviceResidency* device = first_device_; device; device = device->next_device_) {
    uint64_t bytes = 0;
    uint32_t missing = 0;
    for (const ResidencyEntry* entry = device->first_; entry; entry = entry->next) {
      if (entry->block->required()) bytes += entry->block->bytes();
      missing += entry->missing;
    }
    if (bytes != device->required_bytes() || missing != device->missing_count()) return false;
  }
  return true;
}

}  // namespace vidmm

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "vidmm/manager/block.h"
#include "vidmm/manager/budget.h"

namespace vidmm {

class Manager;

// A block on a device's residency list, and how often the device asked for it. Owned by the device's list. Linked by
// hand: the users of a block begin in block.h, which only declares this type, and Boost.Intrusive needs its definition;
// the other two lists are written like that one.
struct ResidencyEntry {
  DeviceResidency* device = nullptr;
  Block* block = nullptr;
  uint32_t count = 0;
  bool missing = false;                 // on the device's list of missing ones
  bool promised = false;                // Evict said that the block was not written to
  uint64_t promised_at_run = 0;         // `promised` holds while this is the device's current run
  ResidencyEntry* next_user = nullptr;  // of the block
  ResidencyEntry* prev_user = nullptr;
  ResidencyEntry* next = nullptr;  // of the device, oldest first
  ResidencyEntry* prev = nullptr;
  ResidencyEntry* next_missing = nullptr;  // of the device, in the order in which they went
  ResidencyEntry* prev_missing = nullptr;
};

struct VictimGroup;

// Groups of devices that have a block in one segment, of one priority class, the device scheduled longest ago first.
struct GroupsByAge {
  VictimGroup* oldest = nullptr;
  VictimGroup* newest = nullptr;
};

// Blocks of one priority class in one segment that were last used together: when their device was scheduled. Linked by
// hand: two null pointers are an empty group, of which a device has one for each segment and priority class.
struct VictimGroup {
  Block* first = nullptr;  // evicted first
  Block* last = nullptr;

  // Of a device, while there is a block.
  DeviceResidency* device = nullptr;
  GroupsByAge* among = nullptr;
  VictimGroup* older = nullptr;
  VictimGroup* newer = nullptr;
};

// The residency list of one device. A member of the device, which calls Manager::forget_device() before it goes;
// guarded by the manager's lock.
class DeviceResidency {
 public:
  DeviceResidency(Manager& manager, ProcessMemory& process, uint32_t ordinal = 0);
  ~DeviceResidency();
  DeviceResidency(const DeviceResidency&) = delete;
  DeviceResidency& operator=(const DeviceResidency&) = delete;

  // Whether everything on the list is resident. To be asked before any packet of the device goes to the hardware.
  bool complete() const { return missing_count_ == 0; }
  // Whether it was prepared and has not been marked idle since: its blocks are evicted only if nothing else will do.
  bool running() const { return running_ && complete(); }

  uint32_t count(const Block& block) const {
    const ResidencyEntry* entry = find(block);
    return entry ? entry->count : 0;
  }
  size_t size() const { return entry_count_; }
  // What has to be in segments at once so that it can run: the blocks on the list, each once, without those offered.
  uint64_t required_bytes() const { return required_bytes_; }
  uint32_t missing_count() const { return missing_count_; }
  uint32_t ordinal() const { return ordinal_; }
  ProcessMemory& process() const { return process_; }
  // Oldest first.
  const ResidencyEntry* first() const { return first_; }

 private:
  friend class Manager;
  friend class Occupancy;
  friend class Pager;
  friend class EvictionOrder;

  // A block with more users than this is found by hash, to avoid a long walk.
  static constexpr uint32_t kWalk = 4;

  ResidencyEntry* find(const Block& block) const {
    ResidencyEntry* entry = block.users_;
    for (uint32_t i = 0; entry && i < kWalk; ++i, entry = entry->next_user) {
      if (entry->device == this) return entry;
    }
    return entry ? find_crowded(block) : nullptr;
  }
  ResidencyEntry* find_crowded(const Block& block) const;
  ResidencyEntry& insert(Block& block);
  void erase(ResidencyEntry& entry);
  void set_missing(ResidencyEntry& entry, bool missing);

  // The members that a packet uses come first, so that they lie near each other.
  std::vector<VictimGroup> groups_;            // segment × priority class
  std::array<uint64_t, 3> occupied_groups_{};  // which of them have a block, as bits: there are 32 segments at most
  Manager& manager_;
  ProcessMemory& process_;
  uint32_t ordinal_;
  bool running_ = false;
  uint64_t runs_ = 0;
  uint64_t last_scheduled_ = 0;             // on the manager's count of schedules
  uint64_t created_ = 0;                    // how many devices were created before it
  DeviceResidency* next_device_ = nullptr;  // of the manager's, in the order of their creation
  DeviceResidency* prev_device_ = nullptr;

  ResidencyEntry* first_ = nullptr;
  ResidencyEntry* last_ = nullptr;
  ResidencyEntry* first_missing_ = nullptr;
  ResidencyEntry* last_missing_ = nullptr;
  uint32_t missing_count_ = 0;
  size_t entry_count_ = 0;
  uint64_t required_bytes_ = 0;

  std::deque<ResidencyEntry> pool_;
  ResidencyEntry* free_ = nullptr;
  std::unordered_map<const Block*, ResidencyEntry*> crowded_;  // looked up, never walked
};

}  // namespace vidmm

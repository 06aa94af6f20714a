// The manager's residency lists: make_resident, evict and what brings a device's blocks back.

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "vidmm/manager/manager.h"

namespace vidmm {

ResidencyEntry& Manager::list(DeviceResidency& device, Block& block) {
  pager_.occupancy().leave(block);
  ResidencyEntry& entry = device.insert(block);
  pager_.occupancy().enter(block);
  return entry;
}

bool Manager::promise_holds(const ResidencyEntry& entry) const {
  return entry.promised && entry.promised_at_run == entry.device->runs_;
}

void Manager::unlist(ResidencyEntry& entry) {
  Block& block = *entry.block;
  bool written = !options().writes_are_told && !promise_holds(entry) && block.content() == Content::Segment;
  pager_.occupancy().leave(block);
  entry.device->erase(entry);
  if (written) block.state_.written = true;
  pager_.occupancy().enter(block);
}

Answer Manager::make_resident(DeviceResidency& device, std::span<Block* const> blocks, MakeResidentFlags flags,
                              Plan& plan, uint64_t& bytes_to_trim) {
  bytes_to_trim = 0;
  for (Block* block : blocks) {
    ResidencyEntry* entry = device.find(*block);
    if (!entry) entry = &list(device, *block);
    ++entry->count;
  }
  if (!flags.cant_trim_further && over_restricted_budget(device)) {
    bytes_to_trim = budgets_.excess(device.process());
    take_back(device, blocks);
    return Answer::OutOfMemory;
  }
  if (device.complete()) return Answer::Done;

  Pager::Mark before = pager_.mark(plan);
  if (!settle(device, flags.cant_trim_further ? Reach::Running : Reach::Idle, plan)) {
    Answer answer = lock_is_in_the_way(blocks) ? Answer::Locked : Answer::OutOfMemory;
    if (answer == Answer::OutOfMemory) bytes_to_trim = shortage(device, blocks);
    take_back(device, blocks);
    return answer;
  }
  pager_.commit(before, plan, EvictionCause::Preparation);
  return Answer::Pending;
}

// Trimming does not help a locked block that can only be placed where the CPU does not see it.
bool Manager::lock_is_in_the_way(std::span<Block* const> blocks) {
  return std::any_of(blocks.begin(), blocks.end(), [this](const Block* block) {
    return block->required() && !block->resident() && !pager_.room().has_candidates(*block);
  });
}

void Manager::take_back(DeviceResidency& device, std::span<Block* const> blocks) {
  for (Block* block : blocks) {
    ResidencyEntry* entry = device.find(*block);
    if (--entry->count != 0) continue;
    pager_.occupancy().leave(*block);
    device.erase(*entry);
    pager_.occupancy().enter(*block);
  }
}

bool Manager::over_restricted_budget(const DeviceResidency& device) const {
  if (!budgets_.restricted(MemoryGroup::Local) && !budgets_.restricted(MemoryGroup::NonLocal)) return false;
  return budgets_.excess(device.process()) != 0;
}

uint64_t Manager::shortage(DeviceResidency& device, std::span<Block* const> blocks) {
  for (const Block* block : blocks) {
    if (!block->resident() && !pager_.room().fits_alone(*block)) return 0;
  }
  if (device.required_bytes() > capacity_) return device.required_bytes() - capacity_;
  return unplaced_->bytes();
}

base::Result<Answer> Manager::evict(DeviceResidency& device, std::span<Block* const> blocks, EvictFlags flags,
                                    Plan& plan, uint64_t& bytes_to_trim) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    ResidencyEntry* entry = device.find(*blocks[i]);
    if (entry && entry->count != 0) {
      --entry->count;
      continue;
    }
    for (Block* block : blocks.first(i)) ++device.find(*block)->count;
    return base::Failure(STATUS_INVALID_PARAMETER, "evicted more often than made resident");
  }

  const Knobs& knobs = options().knobs;
  bool later = flags.evict_only_if_necessary && !knobs.never_defer_evictions && !knobs.force_synchronous_evict;
  Pager::Mark before = pager_.mark(plan);
  for (Block* block : blocks) {
    ResidencyEntry* entry = device.find(*block);
    if (!entry) continue;  // named twice
    if (flags.not_written_to) {
      entry->promised = true;
      entry->promised_at_run = device.runs_;
    }
    if (entry->count != 0) continue;
    unlist(*entry);
    if (block->place().none() || block->listed() || block->offered() || later) continue;
    if (movable(*block)) pager_.page_out(*block, plan);
  }
  pager_.commit(before, plan, EvictionCause::Evict);
  bytes_to_trim = budgets_.excess(device.process());
  return answer(before, plan);
}

void Manager::forget_device(DeviceResidency& device) {
  device.running_ = false;
  while (device.first_) unlist(*device.first_);
}

Answer Manager::prepare(DeviceResidency& device, Plan& plan, Reach reach) {
  if (device.complete()) {
    schedule(device);
    return Answer::Done;
  }
  Pager::Mark before = pager_.mark(plan);
  if (!settle(device, reach, plan)) return Answer::OutOfMemory;
  pager_.commit(before, plan, EvictionCause::Preparation);
  schedule(device);
  return Answer::Pending;
}

void Manager::schedule(DeviceResidency& device) {
  device.running_ = true;
  ++device.runs_;
  device.last_scheduled_ = ++schedules_;
  pager_.occupancy().victims().scheduled(device);
}

void Manager::mark_idle(DeviceResidency& device) { device.running_ = false; }

// Everything on the list is made resident, or nothing is changed.
bool Manager::settle(DeviceResidency& device, Reach reach, Plan& plan) {
  if (device.required_bytes() > capacity_) return false;
  Pager::Mark before = pager_.mark(plan);
  if (bring_back(device, reach, plan)) return true;
  pager_.rollback(before, plan);
  if (repack(device, reach, plan)) return true;
  pager_.rollback(before, plan);
  return false;
}

bool Manager::bring_back(const DeviceResidency& device, Reach reach, Plan& plan) {
  while (const ResidencyEntry* entry = device.first_missing_) {
    if (pager_.page_in(*entry->block, {&device, reach}, plan)) continue;
    unplaced_ = entry->block;
    return false;
  }
  return true;
}

// The device's resident blocks may be in the way of the rest: in the only segment that another block can have, or in
// the middle of the only range that is large enough. So all of them leave, and those that are hardest to place come
// back first.
bool Manager::repack(DeviceResidency& device, Reach reach, Plan& plan) {
  bool was_running = std::exchange(device.running_, false);
  scratch_.clear();
  for (const ResidencyEntry* entry = device.first_; entry; entry = entry->next) {
    Block& block = *entry->block;
    if (!block.required()) continue;
    if (!block.resident()) {
      scratch_.push_back(&block);
    } else if (pager_.occupancy().victims().may_go(block, {nullptr, reach})) {
      pager_.page_out(block, plan);
      scratch_.push_back(&block);
    }
  }
  device.running_ = was_running;

  std::stable_sort(scratch_.begin(), scratch_.end(), [](const Block* a, const Block* b) {
    int choices_a = std::popcount(a->traits().supported);
    int choices_b = std::popcount(b->traits().supported);
    if (choices_a != choices_b) return choices_a < choices_b;
    if (a->traits().contiguous != b->traits().contiguous) return a->traits().contiguous;
    return a->bytes() > b->bytes();
  });
  for (Block* block : scratch_) {
    if (pager_.page_in(*block, {&device, reach}, plan)) continue;
    unplaced_ = block;
    return false;
  }
  return true;
}

}  // namespace vidmm

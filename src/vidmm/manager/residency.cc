#include "vidmm/manager/residency.h"

#include "base/check.h"
#include "vidmm/manager/manager.h"

namespace vidmm {

DeviceResidency::DeviceResidency(Manager& manager, ProcessMemory& process, uint32_t ordinal)
    : manager_(manager), process_(process), ordinal_(ordinal) {
  manager_.attach(*this);
}

DeviceResidency::~DeviceResidency() {
  CHECK_MSG(entry_count_ == 0, "a device went with blocks on its list");  // 0x10E/0x33
  manager_.detach(*this);
}

ResidencyEntry* DeviceResidency::find_crowded(const Block& block) const {
  auto found = crowded_.find(&block);
  return found == crowded_.end() ? nullptr : found->second;
}

ResidencyEntry& DeviceResidency::insert(Block& block) {
  ResidencyEntry* entry = free_;
  if (entry) {
    free_ = entry->next;
    *entry = {};
  } else {
    entry = &pool_.emplace_back();
  }
  entry->device = this;
  entry->block = &block;

  // Added at the end, so that entries only ever move towards the front: an entry that a walk finds is found by every
  // later walk.
  if (block.user_count_ >= kWalk) crowded_.emplace(&block, entry);
  entry->prev_user = block.last_user_;
  (block.last_user_ ? block.last_user_->next_user : block.users_) = entry;
  block.last_user_ = entry;
  ++block.user_count_;

  entry->prev = last_;
  (last_ ? last_->next : first_) = entry;
  last_ = entry;
  ++entry_count_;
  return *entry;
}

void DeviceResidency::erase(ResidencyEntry& entry) {
  set_missing(entry, false);
  Block& block = *entry.block;
  if (!crowded_.empty()) crowded_.erase(&block);
  (entry.prev_user ? entry.prev_user->next_user : block.users_) = entry.next_user;
  (entry.next_user ? entry.next_user->prev_user : block.last_user_) = entry.prev_user;
  --block.user_count_;

  (entry.prev ? entry.prev->next : first_) = entry.next;
  (entry.next ? entry.next->prev : last_) = entry.prev;
  --entry_count_;
  entry.block = nullptr;
  entry.next = free_;
  free_ = &entry;
}

void DeviceResidency::set_missing(ResidencyEntry& entry, bool missing) {
  if (entry.missing == missing) return;
  entry.missing = missing;
  if (!missing) {
    (entry.prev_missing ? entry.prev_missing->next_missing : first_missing_) = entry.next_missing;
    (entry.next_missing ? entry.next_missing->prev_missing : last_missing_) = entry.prev_missing;
    entry.next_missing = entry.prev_missing = nullptr;
    --missing_count_;
    return;
  }
  entry.prev_missing = last_missing_;
  (last_missing_ ? last_missing_->next_missing : first_missing_) = &entry;
  last_missing_ = &entry;
  ++missing_count_;
}

}  // namespace vidmm

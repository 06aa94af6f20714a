#include "vidmm/victims.h"

#include <algorithm>

#include "base/check.h"

namespace vidmm {

VictimGroup& Victims::group_of(const Block& block) {
  uint32_t segment = block.place().segment - 1;
  uint32_t priority = priority_class(block.traits().priority);
  if (block.offered()) return segments_[segment].offered[static_cast<size_t>(block.offer_state()) - 1];
  if (!block.listed()) return segments_[segment].unlisted[priority];
  return block.users_->device->groups_[segment * kPriorityClasses + priority];
}

void Victims::link(Block& block) {
  VictimGroup& group = group_of(block);
  block.group_ = &group;
  block.group_next_ = nullptr;
  block.group_prev_ = group.last;
  (group.last ? group.last->group_next_ : group.first) = &block;
  group.last = &block;
}

void Victims::link_first(Block& block) {
  VictimGroup& group = group_of(block);
  block.group_ = &group;
  block.group_prev_ = nullptr;
  block.group_next_ = group.first;
  (group.first ? group.first->group_prev_ : group.last) = &block;
  group.first = &block;
}

void Victims::unlink(Block& block) {
  VictimGroup& group = *block.group_;
  (block.group_prev_ ? block.group_prev_->group_next_ : group.first) = block.group_next_;
  (block.group_next_ ? block.group_next_->group_prev_ : group.last) = block.group_prev_;
  block.group_ = nullptr;
  block.group_next_ = block.group_prev_ = nullptr;
}

void Victims::attach(DeviceResidency& device) {
  device.groups_.resize(segments_.size() * kPriorityClasses);
  devices_.push_back(&device);
}

void Victims::detach(DeviceResidency& device) {
  for (const VictimGroup& group : device.groups_) CHECK(!group.first);
  std::erase(devices_, &device);
}

bool Victims::may_go(const Block& block, const Claim& claim) const {
  if (block.pinned() || block.held() || (block.locked() && locked_blocks_stay_)) return false;
  if (block.offered()) return true;
  for (const ResidencyEntry* user = block.users_; user; user = user->next_user) {
    if (user->device == claim.device) return false;
    if (user->device->running() && claim.reach == Reach::Idle) return false;
  }
  return true;
}

void Victims::order_groups(uint32_t segment, uint32_t highest_class, const Claim& claim) {
  constexpr uint32_t kUnlisted = 3;
  constexpr uint32_t kListed = kUnlisted + kPriorityClasses;
  order_.clear();
  SegmentGroups& own = segments_[segment - 1];
  for (uint32_t i = 0; i < kUnlisted; ++i) order_.push_back({&own.offered[i], i});
  for (uint32_t i = 0; i <= highest_class; ++i) order_.push_back({&own.unlisted[i], kUnlisted + i});

  by_age_.clear();
  for (DeviceResidency* device : devices_) {
    if (device != claim.device && (!device->running() || claim.reach == Reach::Running)) by_age_.push_back(device);
  }
  std::stable_sort(by_age_.begin(), by_age_.end(), [](const DeviceResidency* a, const DeviceResidency* b) {
    if (a->running() != b->running()) return b->running();
    return a->last_scheduled_ < b->last_scheduled_;
  });
  for (uint32_t i = 0; i <= highest_class; ++i) {
    for (const DeviceResidency* device : by_age_) {
      const VictimGroup& group = device->groups_[(segment - 1) * kPriorityClasses + i];
      if (group.first) order_.push_back({&group, kListed + i});
    }
  }
}

}  // namespace vidmm

#include "vidmm/segment/eviction_order.h"

#include <bit>

#include "base/check.h"

namespace vidmm {
namespace {

constexpr size_t kLine = 64;

void prefetch(const void* object, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kLine) __builtin_prefetch(static_cast<const char*>(object) + at);
}

}  // namespace

VictimGroup& EvictionOrder::group_of(const Block& block) {
  uint32_t segment = block.place().segment - 1;
  uint32_t priority = priority_class(block.traits().priority);
  if (block.offered()) return segments_[segment].offered[static_cast<size_t>(block.offer_state()) - 1];
  if (!block.listed()) return segments_[segment].unlisted[priority];
  return block.users_->device->groups_[segment * kPriorityClasses + priority];
}

// --- Blocks ---

void EvictionOrder::link(Block& block) {
  VictimGroup& group = group_of(block);
  if (group.device && !group.first) enter(group);
  block.group_ = &group;
  block.group_order_ = ++last_order_;
  block.group_next_ = nullptr;
  block.group_prev_ = group.last;
  (group.last ? group.last->group_next_ : group.first) = &block;
  group.last = &block;
}

void EvictionOrder::link_first(Block& block) {
  VictimGroup& group = group_of(block);
  if (group.device && !group.first) enter(group);
  block.group_ = &group;
  block.group_order_ = --first_order_;
  block.group_prev_ = nullptr;
  block.group_next_ = group.first;
  (group.first ? group.first->group_prev_ : group.last) = &block;
  group.first = &block;
}

void EvictionOrder::unlink(Block& block) {
  VictimGroup& group = *block.group_;
  (block.group_prev_ ? block.group_prev_->group_next_ : group.first) = block.group_next_;
  (block.group_next_ ? block.group_next_->group_prev_ : group.last) = block.group_prev_;
  block.group_ = nullptr;
  block.group_next_ = block.group_prev_ = nullptr;
  if (!group.device || group.first) return;
  prefetch_after(group);
  leave(group);
}

// --- Devices ---

GroupsByAge& EvictionOrder::place_of(const VictimGroup& group) {
  const DeviceResidency& device = *group.device;
  auto index = static_cast<size_t>(&group - device.groups_.data());
  SegmentGroups& segment = segments_[index / kPriorityClasses];
  return (device.last_scheduled_ ? segment.ran : segment.never_ran)[index % kPriorityClasses];
}

void EvictionOrder::set_occupied(const VictimGroup& group, bool occupied) {
  DeviceResidency& device = *group.device;
  auto index = static_cast<size_t>(&group - device.groups_.data());
  uint64_t bit = uint64_t{1} << (index % 64);
  uint64_t& word = device.occupied_groups_[index / 64];
  word = occupied ? word | bit : word & ~bit;
}

// The last block of the group has gone. If the group was the first, the group after it is likely to be used next. What
// can be read of the following groups without waiting for memory is prefetched: each step needs what the step before
// has loaded.
void EvictionOrder::prefetch_after(const VictimGroup& group) {
  if (group.older || !group.newer) return;
  const VictimGroup& first = *group.newer;
  __builtin_prefetch(first.first->users_);
  __builtin_prefetch(first.first->place().extents.data());
  if (!first.newer) return;
  const VictimGroup& second = *first.newer;
  prefetch(second.first, sizeof(Block));
  prefetch(second.device, 3 * kLine);
  __builtin_prefetch(second.newer);
}

// Searched from both ends: devices whose blocks come back were mostly scheduled longest ago, new ones a moment ago.
void EvictionOrder::enter(VictimGroup& group) {
  GroupsByAge& groups = place_of(group);
  VictimGroup* older = groups.newest;
  for (VictimGroup* newer = groups.oldest; older && age(*older) > age(group); newer = newer->newer) {
    if (age(*newer) > age(group)) {
      older = newer->older;
      break;
    }
    older = older->older;
  }
  set_occupied(group, true);
  group.among = &groups;
  group.older = older;
  group.newer = older ? older->newer : groups.oldest;
  (group.older ? group.older->newer : groups.oldest) = &group;
  (group.newer ? group.newer->older : groups.newest) = &group;
}

void EvictionOrder::leave(VictimGroup& group) {
  set_occupied(group, false);
  (group.older ? group.older->newer : group.among->oldest) = group.newer;
  (group.newer ? group.newer->older : group.among->newest) = group.older;
  group.among = nullptr;
  group.older = group.newer = nullptr;
}

void EvictionOrder::scheduled(DeviceResidency& device) {
  for (size_t word = 0; word < device.occupied_groups_.size(); ++word) {
    for (uint64_t bits = device.occupied_groups_[word]; bits != 0; bits &= bits - 1) {
      VictimGroup& group = device.groups_[word * 64 + static_cast<size_t>(std::countr_zero(bits))];
      leave(group);
      enter(group);
    }
  }
}

void EvictionOrder::attach(DeviceResidency& device) {
  CHECK(segments_.size() * kPriorityClasses <= device.occupied_groups_.size() * 64);
  device.created_ = created_++;
  device.groups_.resize(segments_.size() * kPriorityClasses);
  for (VictimGroup& group : device.groups_) group.device = &device;
}

void EvictionOrder::detach(DeviceResidency& device) {
  for (const VictimGroup& group : device.groups_) CHECK(!group.first);
}

bool EvictionOrder::validate() {
  for (SegmentGroups& segment : segments_) {
    for (auto* lists : {&segment.never_ran, &segment.ran}) {
      for (const GroupsByAge& groups : *lists) {
        const VictimGroup* last = nullptr;
        for (const VictimGroup* group = groups.oldest; group; group = group->newer) {
          if (!group->first || group->older != last || &place_of(*group) != &groups) return false;
          if (last && age(*last) >= age(*group)) return false;
          auto index = static_cast<size_t>(group - group->device->groups_.data());
          if (!(group->device->occupied_groups_[index / 64] >> (index % 64) & 1)) return false;
          last = group;
        }
        if (groups.newest != last) return false;
      }
    }
  }
  return true;
}

// --- Searches ---

bool EvictionOrder::may_go(const Block& block, const Claim& claim) const {
  if (block.pinned() || block.held() || (block.locked() && locked_blocks_stay_)) return false;
  if (block.offered()) return true;
  for (const ResidencyEntry* user = block.users_; user; user = user->next_user) {
    if (user->device == claim.device) return false;
    if (user->device->running() && claim.reach == Reach::Idle) return false;
  }
  return true;
}

bool EvictionOrder::goes_before(const Block& a, const Block& b) const {
  uint32_t tier_a = tier(a), tier_b = tier(b);
  if (tier_a != tier_b) return tier_a < tier_b;
  if (a.group_ == b.group_) return a.group_order_ < b.group_order_;
  const DeviceResidency &device_a = *a.group_->device, &device_b = *b.group_->device;
  if (device_a.running() != device_b.running()) return device_b.running();
  bool ran_a = device_a.last_scheduled_ != 0, ran_b = device_b.last_scheduled_ != 0;
  if (ran_a != ran_b) return ran_b;
  return age(*a.group_) < age(*b.group_);
}

}  // namespace vidmm

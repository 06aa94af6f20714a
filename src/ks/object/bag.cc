#include "ks/object/bag.h"

#include <algorithm>

#include "ks/device/system.h"
#include "ks/exports/callback.h"
#include "nt/mm/pool.h"

namespace ks {

void BagItems::add(void* item, PFNKSFREE free) {
  base::Guard guard(lock_);
  Entry& entry = entries_.try_emplace(item, Entry{free, 0}).first->second;
  ++entry.bags;
}

uint32_t BagItems::remove(void* item, PFNKSFREE* free) {
  base::Guard guard(lock_);
  auto found = entries_.find(item);
  CHECK(found != entries_.end());
  *free = found->second.free;
  uint32_t bags = found->second.bags--;
  if (bags == 1) entries_.erase(found);
  return bags;
}

Bag::Bag(System& system, nt::Scope* scope)
    : system_(system),
      scope_(scope),
      handle_(system.machine().pool().allocate(sizeof(uint64_t), 0, nt::PoolKind::Internal, nt::PoolFill::Zero)) {
  CHECK(handle_);
  system_.publish(*this);
}

Bag::~Bag() {
  system_.unpublish(*this);
  system_.machine().pool().free(handle_, 0);
}

void Bag::add(void* item, PFNKSFREE free) {
  system_.bag_items().add(item, free);
  base::Guard guard(lock_);
  items_.push_back(item);
}

uint32_t Bag::remove(void* item, bool free) {
  {
    base::Guard guard(lock_);
    auto found = std::find(items_.rbegin(), items_.rend(), item);
    if (found == items_.rend()) return 0;
    items_.erase(std::next(found).base());
  }
  PFNKSFREE how = nullptr;
  uint32_t bags = system_.bag_items().remove(item, &how);
  if (bags == 1 && free) free_item(item, how);
  return bags;
}

bool Bag::contains(const void* item) {
  base::Guard guard(lock_);
  return std::find(items_.begin(), items_.end(), item) != items_.end();
}

void Bag::copy_to(Bag& other) {
  std::vector<void*> items;
  {
    base::Guard guard(lock_);
    items = items_;
  }
  for (void* item : items) {
    if (!other.contains(item)) other.add(item, nullptr);
  }
}

void Bag::empty() {
  for (;;) {
    void* item = nullptr;
    {
      base::Guard guard(lock_);
      if (items_.empty()) return;
      item = items_.back();
      items_.pop_back();
    }
    PFNKSFREE how = nullptr;
    if (system_.bag_items().remove(item, &how) == 1) free_item(item, how);
  }
}

void Bag::free_item(void* item, PFNKSFREE free) {
  nt::Machine& machine = system_.machine();
  if (free) {
    call(machine, Ddi::FreeItem, scope_, free, item);
  } else {
    machine.pool().free(item, 0, "an object bag");
  }
}

}  // namespace ks

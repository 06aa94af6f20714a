#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "nt/machine/machine.h"

namespace ks {

class ControlMutex;
class System;

// The items of all bags of a machine. An item that is in several bags is freed when it leaves the last. Owned by the
// system; any thread.
class BagItems {
 public:
  // False when there is no memory for it. The first bag's free function stays.
  void add(void* item, PFNKSFREE free);
  // Returns how many bags it was in. 1: it has left the last, and `free` is its free function.
  uint32_t remove(void* item, PFNKSFREE* free);

 private:
  struct Entry {
    PFNKSFREE free;
    uint32_t bags;
  };
  base::Mutex<base::LockRank::Table> lock_;
  std::unordered_map<void*, Entry> entries_ GUARDED_BY(lock_);  // never walked
};

// An object bag: memory and other things of the driver that are freed with the bag. Guarded, as documented, by the
// mutex of the object it belongs to. It also has a lock of its own, because drivers forget that mutex.
class Bag {
 public:
  // Items are freed in `scope`; null: in the scope of the caller that empties the bag.
  Bag(System& system, nt::Scope* scope);
  ~Bag();
  Bag(const Bag&) = delete;
  Bag& operator=(const Bag&) = delete;

  KSOBJECT_BAG handle() const { return handle_; }
  // The mutex that a driver must hold to use the bag; null: none.
  void guard_with(ControlMutex& control) { control_ = &control; }
  ControlMutex* control() const { return control_; }

  void add(void* item, PFNKSFREE free);
  // Returns how many bags the item was in; 0: it is not in this one. `free`: frees it when this was the only one.
  uint32_t remove(void* item, bool free);
  bool contains(const void* item);
  void copy_to(Bag& other);
  // Frees everything, last added first. At PASSIVE_LEVEL.
  void empty();

 private:
  void free_item(void* item, PFNKSFREE free);

  System& system_;
  nt::Scope* const scope_;
  const KSOBJECT_BAG handle_;  // an address in the machine's memory that is nothing else
  ControlMutex* control_ = nullptr;
  base::Mutex<base::LockRank::Adapter> lock_;
  std::vector<void*> items_ GUARDED_BY(lock_);
};

}  // namespace ks

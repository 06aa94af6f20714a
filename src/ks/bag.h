#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "nt/machine.h"

namespace ks {

class ControlMutex;
class System;

// What lies in the bags of a machine, by item: one that is in several bags goes when it leaves the last. Owned by the
// system; any thread.
class BagItems {
 public:
  // False when there is no memory for it. The first bag's free function stays.
  void add(void* item, PFNKSFREE free);
  // How many bags it was in. At 1 it has left the last, and `free` is how it wants to be freed.
  uint32_t remove(void* item, PFNKSFREE* free);

 private:
  struct Entry {
    PFNKSFREE free;
    uint32_t bags;
  };
  base::Mutex<base::LockRank::Table> lock_;
  std::unordered_map<void*, Entry> entries_ GUARDED_BY(lock_);  // never walked
};

// An object bag: memory and other things of the driver that go when the bag goes. Guarded, as documented, by the mutex
// of the object it belongs to; by a lock of its own all the same, as drivers forget.
class Bag {
 public:
  // What is freed is freed in `scope`; null: in whoever empties it.
  Bag(System& system, nt::Scope* scope);
  ~Bag();
  Bag(const Bag&) = delete;
  Bag& operator=(const Bag&) = delete;

  KSOBJECT_BAG handle() const { return handle_; }
  // What a driver must hold to touch it; null: nothing is asked.
  void guard_with(ControlMutex& control) { control_ = &control; }
  ControlMutex* control() const { return control_; }

  void add(void* item, PFNKSFREE free);
  // How many bags it was in; 0: not in this one. `free`: when this was the only one, it is freed.
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

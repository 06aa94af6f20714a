#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace nt {

// How an object in the driver's memory is in use right now.
enum class InUseKind : uint8_t {
  Waiters = 1,
  SpinWaiters = 2,
  Timer = 3,
  Dpc = 4,
  WordWaiters = 5,
  Resource = 6,
  RemoveLock = 7,
  TimerDpc = 8,  // the DPC of an armed timer; the value counts those timers
  Lookaside = 9
};

// The in-use table: address of a driver's object -> its users. The object's state stays in the object; the
// table has only what is needed while a thread waits on it, it is armed or it is queued. Open addressing; counts
// per page, so that "does this block hold anything live" costs one probe for most blocks. Guarded by the dispatcher
// lock.
class InUseTable {
 public:
  InUseTable() : slots_(64), pages_(64) {}

  // The entry of (address, kind), or null.
  void** find(uintptr_t address, InUseKind kind) {
    Slot& slot = probe(slots_, key(address, kind));
    return slot.key ? &slot.value : nullptr;
  }
  // The entry, made if it is missing (value null).
  void*& ensure(uintptr_t address, InUseKind kind) {
    Slot* slot = &probe(slots_, key(address, kind));
    if (!slot->key) {
      if (grow_if_full(slots_, ++count_)) slot = &probe(slots_, key(address, kind));
      slot->key = key(address, kind);
      slot->value = nullptr;
      bump_page(address, 1);
    }
    return slot->value;
  }
  void erase(uintptr_t address, InUseKind kind) {
    if (!remove(slots_, key(address, kind))) return;
    --count_;
    bump_page(address, -1);
  }

  bool any_in(uintptr_t lo, uintptr_t hi) const {
    for (uintptr_t page = lo >> kPageShift; page <= (hi - 1) >> kPageShift; ++page) {
      if (probe(pages_, page + 1).key) return true;
    }
    return false;
  }
  // Calls f(address, kind, value) for every entry in [lo, hi), in address order.
  template <typename F>
  void for_each_in(uintptr_t lo, uintptr_t hi, F&& f) const;

  size_t size() const { return count_; }

 private:
  struct Slot {
    uint64_t key = 0;  // 0: empty
    void* value = nullptr;
  };
  using Slots = std::vector<Slot>;
  static constexpr unsigned kPageShift = 12;
  static constexpr unsigned kKindBits = 4;

  static uint64_t key(uintptr_t address, InUseKind kind) {
    return (static_cast<uint64_t>(address) << kKindBits) | static_cast<uint64_t>(kind);
  }
  static size_t hash(uint64_t key, size_t mask) { return (key * 0x9E3779B97F4A7C15ull >> 32) & mask; }
  static Slot& probe(Slots& slots, uint64_t key) {
    size_t mask = slots.size() - 1, i = hash(key, mask);
    while (slots[i].key && slots[i].key != key) i = (i + 1) & mask;
    return slots[i];
  }
  static const Slot& probe(const Slots& slots, uint64_t key) { return probe(const_cast<Slots&>(slots), key); }
  static bool grow_if_full(Slots& slots, size_t count);
  static bool remove(Slots& slots, uint64_t key);
  void bump_page(uintptr_t address, intptr_t by);

  Slots slots_;
  Slots pages_;  // key page+1, value: how many entries lie in it
  size_t count_ = 0;
  size_t page_count_ = 0;
};

}  // namespace nt

#include "nt/machine/in_use_table_inl.h"

#pragma once

#include <algorithm>

#include "nt/machine/in_use_table.h"

namespace nt {

inline bool InUseTable::grow_if_full(Slots& slots, size_t count) {
  if (count * 2 <= slots.size()) return false;
  Slots larger(slots.size() * 2);
  for (const Slot& slot : slots) {
    if (slot.key) probe(larger, slot.key) = slot;
  }
  slots.swap(larger);
  return true;
}

// Closes the gap so that no tombstones are needed.
inline bool InUseTable::remove(Slots& slots, uint64_t key) {
  size_t mask = slots.size() - 1;
  size_t gap = static_cast<size_t>(&probe(slots, key) - slots.data());
  if (!slots[gap].key) return false;
  for (size_t i = (gap + 1) & mask; slots[i].key; i = (i + 1) & mask) {
    size_t home = hash(slots[i].key, mask);
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      slots[gap] = slots[i];
      gap = i;
    }
  }
  slots[gap] = Slot{};
  return true;
}

inline void InUseTable::bump_page(uintptr_t address, intptr_t by) {
  uint64_t page = (address >> kPageShift) + 1;
  Slot* slot = &probe(pages_, page);
  if (!slot->key) {
    if (grow_if_full(pages_, ++page_count_)) slot = &probe(pages_, page);
    slot->key = page;
    slot->value = nullptr;
  }
  auto count = reinterpret_cast<intptr_t>(slot->value) + by;
  slot->value = reinterpret_cast<void*>(count);
  if (count == 0) {
    remove(pages_, page);
    --page_count_;
  }
}

template <typename F>
void InUseTable::for_each_in(uintptr_t lo, uintptr_t hi, F&& f) const {
  std::vector<Slot> found;
  for (const Slot& slot : slots_) {
    uintptr_t address = slot.key >> kKindBits;
    if (slot.key && address >= lo && address < hi) found.push_back(slot);
  }
  std::sort(found.begin(), found.end(), [](const Slot& a, const Slot& b) { return a.key < b.key; });
  for (const Slot& slot : found) {
    f(static_cast<uintptr_t>(slot.key >> kKindBits), static_cast<InUseKind>(slot.key & ((1u << kKindBits) - 1)),
      slot.value);
  }
}

}  // namespace nt

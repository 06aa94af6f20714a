#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "abi/shared/ntdef.h"
#include "base/check.h"

namespace umd {

// A set of handles that a driver chose: any value but NULL. Open addressing, so that adding and removing needs no
// memory once it has grown. Guarded by its owner.
class HandleSet {
 public:
  bool contains(HANDLE handle) const {
    if (slots_.empty() || !handle) return false;
    for (size_t i = home(handle); slots_[i]; i = next(i)) {
      if (slots_[i] == handle) return true;
    }
    return false;
  }
  // Once in it, a handle is not counted: two inserts need one erase.
  void insert(HANDLE handle) {
    if (!handle || contains(handle)) return;
    if (count_ * 2 >= slots_.size()) grow();
    place(handle);
    ++count_;
  }
  void erase(HANDLE handle) {
    if (!contains(handle)) return;
    size_t hole = home(handle);
    while (slots_[hole] != handle) hole = next(hole);
    // What follows moves up, unless it is at home between the hole and its place.
    for (size_t i = next(hole); slots_[i]; i = next(i)) {
      size_t wanted = home(slots_[i]);
      bool stays = hole <= i ? hole < wanted && wanted <= i : hole < wanted || wanted <= i;
      if (stays) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = nullptr;
    --count_;
  }
  size_t size() const { return count_; }

 private:
  size_t home(HANDLE handle) const {
    return (reinterpret_cast<uintptr_t>(handle) * 0x9E3779B97F4A7C15u >> 32) & (slots_.size() - 1);
  }
  size_t next(size_t i) const { return (i + 1) & (slots_.size() - 1); }
  void place(HANDLE handle) {
    size_t i = home(handle);
    while (slots_[i]) i = next(i);
    slots_[i] = handle;
  }
  void grow() {
    std::vector<HANDLE> old(slots_.empty() ? 64 : slots_.size() * 2);
    old.swap(slots_);
    for (HANDLE handle : old) {
      if (handle) place(handle);
    }
  }

  std::vector<HANDLE> slots_;
  size_t count_ = 0;
};

}  // namespace umd

#pragma once

#include <cstddef>
#include <cstdint>

namespace base {

// Addresses of this process, half open: [lo, hi).
struct AddressRange {
  uintptr_t lo = 0;
  uintptr_t hi = 0;

  size_t size() const { return hi - lo; }
  bool contains(uintptr_t address) const { return lo <= address && address < hi; }
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

}  // namespace base

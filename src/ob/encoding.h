#pragma once

#include <cstdint>

#include "base/result.h"
#include "ob/lookup.h"

// How a slot becomes a client's handle value. A HandleTable takes one of these as its policy.
namespace ob {

inline constexpr uint32_t kIndexBits = 24;
inline constexpr uint32_t kIndexLimit = 1u << kIndexBits;

// D3DKMT_HANDLE, as Microsoft published it with WSL (observed):
//
//   31 30 | 29 … 6 | 5 … 0
//   unique  index    instance
//
// unique is the slot's generation, 1 to 3, so no handle is zero. Windows gives instance 0 to a process's own handles
// and 2 to global share handles (observed by Wine's tests); a handle of the other instance is refused, as it is there.
template <uint32_t Instance>
struct KmtEncoding {
  using Handle = uint32_t;
  static constexpr bool kHasGeneration = true;

  static constexpr uint32_t kInstanceBits = 6;
  static constexpr uint32_t kInstanceMask = (1u << kInstanceBits) - 1;
  static constexpr uint32_t kUniqueShift = kInstanceBits + kIndexBits;
  static_assert(kUniqueShift == 30 && Instance <= kInstanceMask);

  static constexpr Handle encode(SlotKey key) {
    return key.generation << kUniqueShift | key.index << kInstanceBits | Instance;
  }
  static base::Expected<SlotKey, LookupFault> decode(Handle handle) {
    uint32_t generation = handle >> kUniqueShift;
    if (generation == 0) return handle == 0 ? LookupFault::Null : LookupFault::Malformed;
    if ((handle & kInstanceMask) != Instance) return LookupFault::WrongTable;
    return SlotKey{(handle >> kInstanceBits) & (kIndexLimit - 1), generation};
  }
};

using LocalKmtEncoding = KmtEncoding<0>;
using GlobalKmtEncoding = KmtEncoding<2>;

// An NT HANDLE: a small multiple of four, the first one 4. The low two bits belong to the application and are ignored
// (documented: the system ignores a handle's tag bits). There is no room for a generation that would leave the values
// looking like Windows', so a stale handle is found by delayed reuse and the shadow of closed handles. Never has one of
// the two top bits of the low 32, so it is no D3DKMT handle either (observed). The handle is 64 bits wide; a negative
// one is a pseudo-handle: -1 the process, -2 the thread (documented), and by policy all down to -16.
struct NtEncoding {
  using Handle = uint64_t;
  static constexpr bool kHasGeneration = false;

  static constexpr uint64_t kTagBits = 2;
  static constexpr int64_t kLowestPseudo = -16;

  static constexpr Handle encode(SlotKey key) { return (uint64_t{key.index} + 1) << kTagBits; }
  static base::Expected<SlotKey, LookupFault> decode(Handle handle) {
    int64_t value = static_cast<int64_t>(handle);
    if (value == 0) return LookupFault::Null;
    if (value < 0) return value >= kLowestPseudo ? LookupFault::Pseudo : LookupFault::Malformed;
    uint64_t number = handle >> kTagBits;
    if (number == 0) return LookupFault::Malformed;  // nothing but tag bits
    if (number > kIndexLimit) return LookupFault::BadIndex;
    return SlotKey{static_cast<uint32_t>(number - 1), 0};
  }
};

}  // namespace ob

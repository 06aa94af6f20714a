#pragma once

#include <cstdint>
#include <vector>

#include "base/check.h"
#include "vidmm/address/va_tree.h"

namespace vidmm {

class VaSpace;
struct Mapping;
struct Reservation;

// The units of GPU virtual addresses: Map, Free and Update count in the first, Reserve in the second.
inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint64_t kBigPageBytes = 64 * 1024;

// What the GPU may do at an address. Reads are always allowed; `zero` (reads give zero, writes are dropped) and
// `no_access` stand for addresses with no memory behind them.
struct VaProtection {
  bool write = false;
  bool execute = false;
  bool zero = false;
  bool no_access = false;
  uint64_t driver_protection = 0;

  bool without_memory() const { return zero || no_access; }
  friend bool operator==(const VaProtection&, const VaProtection&) = default;
};

// Something that GPU addresses can be mapped to. An allocation derives from it, so that an eviction finds every mapping
// of it in every address space. Changed only by VaSpaces, under the lock that all address spaces of the adapter share;
// destroyed only after its last mapping.
class Mapped {
 public:
  explicit Mapped(uint64_t bytes) : bytes_(bytes) {}
  ~Mapped() { CHECK(!first_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  uint64_t bytes() const { return bytes_; }
  // The newest mapping; Mapping::next_of_mapped leads on.
  const Mapping* first_mapping() const { return first_; }

 private:
  friend class VaSpace;
  uint64_t bytes_;
  Mapping* first_ = nullptr;
  uint32_t unique_ = 0;  // mappings with D3DGPU_UNIQUE_DRIVER_PROTECTION
};

// Addresses that one call mapped, or what later calls left of them. Owned by its space; it stays where it is until it
// is unmapped, and becomes shorter when a part of it is.
struct alignas(64) Mapping : VaItem {
  Mapping() : VaItem(Kind::Mapping) {}

  // First what unmapping reads: one cache line, where there are a million of these.
  Mapped* what = nullptr;  // null: addresses without memory (protection says which)
  Mapping* next_of_mapped = nullptr;
  Mapping* previous_of_mapped = nullptr;
  VaProtection protection{};
  VaSpace* space = nullptr;
  uint64_t offset = 0;            // of `va`, in bytes, in the allocation
  Reservation* inside = nullptr;  // null: the call that mapped it also obtained the addresses
  uint64_t range = 0;             // which call obtained the addresses; pieces of one range have the same
};

// What the page tables at [va, va + bytes) of `space` must become. Their old entries are overwritten, mapped or not;
// operations of one list are in order.
struct VaOp {
  enum class Kind : uint8_t {
    Map,    // to `what` from `offset` on, wherever it resides when this is performed
    Unmap,  // nothing behind the addresses: protection is zero or no_access
  };
  Kind kind;
  VaSpace* space;
  uint64_t va;
  uint64_t bytes;
  Mapped* what = nullptr;
  uint64_t offset = 0;
  VaProtection protection{};
};
using VaOpList = std::vector<VaOp>;

}  // namespace vidmm

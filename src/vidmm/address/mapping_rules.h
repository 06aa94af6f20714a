#pragma once

#include <bit>
#include <cstdint>

#include "abi/shared/d3dukmdt_residency.h"
#include "base/result.h"
#include "vidmm/address/mapping.h"

// The rules of Map and Update for a mapping.
namespace vidmm {

inline bool is_alignment(uint64_t alignment, uint64_t least) {
  return std::has_single_bit(alignment) && alignment >= least;
}

inline bool is_unique(const VaProtection& protection) {
  return (protection.driver_protection & D3DGPU_UNIQUE_DRIVER_PROTECTION) != 0;
}

inline VaOp op_for(VaSpace& space, uint64_t va, uint64_t bytes, Mapped* what, uint64_t offset,
                   const VaProtection& protection) {
  return {what ? VaOp::Kind::Map : VaOp::Kind::Unmap, &space, va, bytes, what, offset, protection};
}

// Documented at D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE: zero and no access are states without an allocation.
inline base::Result<> check_mapped(const Mapped* what, uint64_t offset, uint64_t bytes,
                                   const VaProtection& protection) {
  using base::Failure;
  if (protection.zero && protection.no_access)
    return Failure(STATUS_INVALID_PARAMETER, "Zero and NoAccess exclude each other");
  if (protection.without_memory() && what)
    return Failure(STATUS_INVALID_PARAMETER, "Zero and NoAccess are mapped without an allocation");
  if (protection.without_memory()) return {};
  if (!what) return Failure(STATUS_INVALID_PARAMETER, "no allocation, and neither Zero nor NoAccess");
  if (offset % kPageBytes) return Failure(STATUS_INVALID_PARAMETER, "the offset in the allocation is not aligned");
  if (offset > what->bytes() || bytes > what->bytes() - offset)
    return Failure(STATUS_INVALID_PARAMETER, "the pages to map leave the allocation");
  return {};
}

// Whether a mapping of a part of an allocation forbids another mapping of it. Documented at "Driver protection": what
// was mapped as unique is mapped again only with the same value; other parts with any.
inline bool conflicts(uint64_t offset, uint64_t bytes, const VaProtection& existing, uint64_t new_offset,
                      uint64_t new_bytes, const VaProtection& wanted) {
  return is_unique(existing) && existing.driver_protection != wanted.driver_protection &&
         offset < new_offset + new_bytes && new_offset < offset + bytes;
}

}  // namespace vidmm

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "vidmm/address/mapping.h"
#include "vidmm/address/va_tree.h"
#include "vidmm/segment/slab.h"

namespace vidmm {

// Addresses that Reserve obtained, with the mappings inside. Owned by its space.
struct Reservation : VaItem {
  explicit Reservation(VaTree::Nodes& nodes) : VaItem(Kind::Reservation), mappings(nodes) {}

  VaProtection protection;  // of the addresses with no mapping: zero or no_access
  bool held_by_driver = false;
  bool mappable = true;
  VaTree mappings;
};

// The GPU virtual addresses of one process (or of the paging process): which are reserved, which are mapped, to what.
// It decides and keeps the record. It has no page tables: the caller performs the operations that calls append to
// `out`. A call that fails changes nothing and appends nothing. Owned by the process; used under the lock that all
// address spaces of one adapter share, because mappings of one allocation in all of them form one list.
//
// A range is obtained by Reserve, or by Map at free addresses. Inside a reservation mappings come and go and the
// reservation stays; a range obtained by Map may be mapped anew, in part or whole, and ends with its allocation.
//
// clang-format off
//   reserve     |.......................|        one reservation
//   map inside  |....|--a--|............|        op: Map a
//   map over    |....|-|--b--|..........|        op: Map b; a keeps its left part
//   free b      |....|-|................|        op: Unmap; the reservation stays (policy: the documents give Free
//                                                a range "previously reserved or mapped" and do not speak of parts)
// clang-format on
class VaSpace {
 public:
  // Addresses [first, end) may be used. `first` leaves out what the first root entry covers (PageTables::first_va()).
  VaSpace(uint64_t first, uint64_t end);
  ~VaSpace();
  VaSpace(const VaSpace&) = delete;
  VaSpace& operator=(const VaSpace&) = delete;

  struct ReserveRequest {
    uint64_t base = 0;  // 0: pick one in [minimum, maximum); these are ignored with a base
    uint64_t minimum = 0;
    uint64_t maximum = 0;  // 0: no limit
    uint64_t bytes = 0;    // all of these are multiples of 64 KiB
    uint64_t alignment = kBigPageBytes;
    VaProtection protection{.no_access = true};  // no_access or zero
    // DxgkCbReserveGpuVirtualAddressRange: the client cannot free it, and maps there only if the driver allows it.
    bool held_by_driver = false;
    bool mappable = true;
  };
  // STATUS_INVALID_PARAMETER, or STATUS_NO_MEMORY when no place is left.
  base::Result<uint64_t> reserve(const ReserveRequest& request, VaOpList& out);

  struct MapRequest {
    uint64_t base = 0;     // 0: pick one in [minimum, maximum); else free, inside one reservation, or inside one range
    uint64_t minimum = 0;  // that Map obtained (not with zero or no_access)
    uint64_t maximum = 0;  // 0: no limit
    Mapped* what = nullptr;
    uint64_t offset_pages = 0;
    uint64_t bytes = 0;
    uint64_t alignment = kPageBytes;  // of a picked address
    VaProtection protection{};
  };
  base::Result<uint64_t> map(const MapRequest& request, VaOpList& out);

  // A whole reservation with all that is mapped in it; a range that Map obtained, or a part of one; or a part of a
  // reservation in which something is mapped, which goes back to the reserved state.
  base::Result<> free(uint64_t base, uint64_t bytes, VaOpList& out);

  // A whole reservation, by the code that holds it for the driver; free() is for clients. Nothing is mapped in it.
  void release(uint64_t base);

  // One operation of a tile update (D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION).
  struct Update {
    enum class Kind : uint8_t { Map, Unmap, Copy, MapProtect };
    Kind kind;
    uint64_t va;
    uint64_t bytes;
    Mapped* what = nullptr;
    uint64_t offset = 0;
    uint64_t allocation_bytes = 0;  // shorter than `bytes`: the same part of the allocation again and again
    VaProtection protection{};      // MapProtect; Unmap: the state the addresses get, zero or no_access
    uint64_t source = 0;            // Copy
  };
  // In order; ranges may overlap. All destinations are inside one reservation, all sources inside one.
  base::Result<> update(std::span<const Update> updates, VaOpList& out);

  // The allocation goes, or this process closes it: every mapping of it in this space ends, and so do ranges that Map
  // obtained for it.
  void unmap_all(Mapped& what, VaOpList& out);
  // The same in every space that maps it.
  static void unmap_everywhere(Mapped& what, VaOpList& out);
  // The process goes: every range ends, also those that a driver holds. No operations; its page tables go as a whole.
  void clear();

  const Mapping* find(uint64_t va) const;
  const Reservation* find_reservation(uint64_t va) const;

  uint64_t first() const { return first_; }
  uint64_t end() const { return end_; }
  size_t mapping_count() const { return mapping_count_; }
  // Whether trees, links and counters agree. For tests.
  bool validate() const;

 private:
  // Where addresses get their mappings: what a new one replaces is carved out of the tree first.
  struct Target {
    Reservation* inside;
    uint64_t range;
  };
  // What an update's operations have to have in common.
  struct UpdateScope {
    Reservation* target = nullptr;
    Reservation* source = nullptr;
  };

  base::Result<uint64_t> pick(uint64_t minimum, uint64_t maximum, uint64_t bytes, uint64_t alignment,
                              uint64_t unit) const;
  base::Result<> check_fixed(uint64_t base, uint64_t bytes, uint64_t unit) const;
  base::Result<Target> target_of(const MapRequest& request);
  Reservation* reservation_around(uint64_t base, uint64_t bytes) const;
  bool is_one_range(uint64_t base, uint64_t bytes) const;
  static base::Result<> check_unique(const Mapped* what, uint64_t offset, uint64_t bytes,
                                     const VaProtection& protection);
  base::Result<> join_scope(const Update& update, UpdateScope& scope) const;

  VaTree& tree_of(Reservation* inside) { return inside ? inside->mappings : ranges_; }
  void add(VaTree::Cursor& place, const VaOp& what, Target target);
  void remove(Mapping& mapping);
  void give_back(Mapping& mapping);
  bool carve(VaTree& tree, uint64_t va, uint64_t end);
  void cut(Mapping& mapping, uint64_t va, uint64_t end);
  void place_in(Reservation& reservation, const VaOp& op, VaOpList& out);
  void map_repeated(const Update& update, Reservation& target, VaOpList& out);
  void copy(const Update& update, const UpdateScope& scope, VaOpList& out);
  void drop_reservation(Reservation& reservation);
  void unmap_one(Mapping& mapping, VaOpList& out);
  bool validate_mapping(const Mapping& mapping, const Reservation* inside) const;

  uint64_t first_;
  uint64_t end_;
  uint64_t next_range_ = 1;
  size_t mapping_count_ = 0;
  VaTree::Nodes nodes_;
  Slab<Mapping> mappings_;
  Slab<Reservation> reservations_;
  VaTree ranges_;  // reservations, and mappings that are inside none
};

}  // namespace vidmm

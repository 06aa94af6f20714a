#include <algorithm>
#include <vector>

#include "vidmm/address/mapping_rules.h"
#include "vidmm/address/va_space.h"

// Tile updates: the operations of one D3DKMTUpdateGpuVirtualAddress. All of them are checked before the first is
// applied, so that an update is made as a whole or not at all.

namespace vidmm {
namespace {

using base::Failure;
using base::Result;
using Update = VaSpace::Update;
using Kind = VaSpace::Update::Kind;

// How often one operation may repeat a part of an allocation (our policy: each repetition is a mapping of its own).
constexpr uint64_t kMaxRepeats = 65536;

bool is_map(const Update& update) { return update.kind == Kind::Map || update.kind == Kind::MapProtect; }

uint64_t mapped_bytes(const Update& update) { return update.allocation_bytes ? update.allocation_bytes : update.bytes; }

// Map is documented as read-write with driver protection 0, and under "Driver protection" as inheriting the one given
// to Reserve; both hold where that one is 0.
VaProtection protection_of(const Update& update, const Reservation& target) {
  if (update.kind != Kind::Map) return update.protection;
  return {.write = true, .driver_protection = target.protection.driver_protection};
}

Result<> check_operands(const Update& update) {
  if (update.bytes == 0 || update.bytes % kPageBytes || update.va % kPageBytes || update.source % kPageBytes)
    return Failure(STATUS_INVALID_PARAMETER, "an address or a size of the update is not aligned to 4 KiB");
  if (update.kind == Kind::Unmap && update.protection.zero == update.protection.no_access)
    return Failure(STATUS_INVALID_PARAMETER, "unmapping leaves addresses either Zero or NoAccess");
  if (!is_map(update)) return {};
  uint64_t part = mapped_bytes(update);
  if (part % kPageBytes || part > update.bytes || update.bytes % part)
    return Failure(STATUS_INVALID_PARAMETER, "the size is no multiple of the part of the allocation");
  if (update.bytes / part > kMaxRepeats)
    return Failure(STATUS_NO_MEMORY, "the update repeats a part of the allocation too often");
  if (update.protection.without_memory())
    return Failure(STATUS_INVALID_PARAMETER, "an update maps an allocation; Unmap gives Zero and NoAccess");
  return check_mapped(update.what, update.offset, part, update.protection);
}

}  // namespace

Result<> VaSpace::update(std::span<const Update> updates, VaOpList& out) {
  UpdateScope scope;
  std::vector<const Update*> unique;
  for (const Update& update : updates) {
    TRY(check_operands(update));
    TRY(join_scope(update, scope));
    if (!is_map(update)) continue;
    VaProtection protection = protection_of(update, *scope.target);
    TRY(check_unique(update.what, update.offset, mapped_bytes(update), protection));
    for (const Update* earlier : unique)
      if (earlier->what == update.what && conflicts(earlier->offset, mapped_bytes(*earlier), earlier->protection,
                                                    update.offset, mapped_bytes(update), protection))
        return Failure(STATUS_INVALID_PARAMETER, "the update maps these pages with two unique driver protections");
    if (update.kind == Kind::MapProtect && is_unique(protection)) unique.push_back(&update);
  }
  for (const Update& update : updates) {
    if (is_map(update))
      map_repeated(update, *scope.target, out);
    else if (update.kind == Kind::Copy)
      copy(update, scope, out);
    else
      place_in(*scope.target, op_for(*this, update.va, update.bytes, nullptr, 0, update.protection), out);
  }
  return {};
}

// Documented at pfnUpdateGpuVirtualAddressCb: destinations belong to one reserved range, sources too.
Result<> VaSpace::join_scope(const Update& update, UpdateScope& scope) const {
  auto join = [&](uint64_t va, Reservation*& common) -> Result<> {
    TRY(check_fixed(va, update.bytes, kPageBytes));
    Reservation* reservation = reservation_around(va, update.bytes);
    if (!reservation) return Failure(STATUS_INVALID_PARAMETER, "the update leaves the reserved range");
    if (common && common != reservation)
      return Failure(STATUS_INVALID_PARAMETER, "the operations of the update are not in one reserved range");
    if (!reservation->mappable)
      return Failure(STATUS_INVALID_PARAMETER, "the driver reserved the addresses and allows no mapping there");
    common = reservation;
    return {};
  };
  TRY(join(update.va, scope.target));
  if (update.kind == Kind::Copy) TRY(join(update.source, scope.source));
  return {};
}

void VaSpace::map_repeated(const Update& update, Reservation& target, VaOpList& out) {
  VaProtection protection = protection_of(update, target);
  uint64_t part = mapped_bytes(update);
  for (uint64_t done = 0; done < update.bytes; done += part)
    place_in(target, op_for(*this, update.va + done, part, update.what, update.offset, protection), out);
}

// The source is read as a whole before the destination changes: they may overlap.
void VaSpace::copy(const Update& update, const UpdateScope& scope, VaOpList& out) {
  std::vector<VaOp> pieces;
  uint64_t distance = update.va - update.source;
  uint64_t va = update.source;
  uint64_t end = update.source + update.bytes;
  auto add_piece = [&](uint64_t until, Mapped* what, uint64_t offset, const VaProtection& protection) {
    pieces.push_back(op_for(*this, va + distance, until - va, what, offset, protection));
    va = until;
  };
  for (VaTree::Cursor cursor = scope.source->mappings.at(va); va < end; cursor.advance()) {
    const auto* mapping = static_cast<const Mapping*>(cursor.item());
    uint64_t next = mapping ? std::min(mapping->va, end) : end;
    if (next > va) add_piece(next, nullptr, 0, scope.source->protection);
    if (va == end) break;
    add_piece(std::min(mapping->end(), end), mapping->what, mapping->offset + (va - mapping->va), mapping->protection);
  }
  for (const VaOp& piece : pieces) place_in(*scope.target, piece, out);
}

}  // namespace vidmm

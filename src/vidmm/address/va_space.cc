#include "vidmm/address/va_space.h"

#include <algorithm>

#include "vidmm/address/mapping_rules.h"

namespace vidmm {
namespace {

using base::Failure;
using base::Result;

constexpr VaProtection kNoAccess{.no_access = true};

}  // namespace

VaSpace::VaSpace(uint64_t first, uint64_t end) : first_(first), end_(end), ranges_(nodes_) {
  CHECK(first < end && first % kBigPageBytes == 0 && end % kBigPageBytes == 0);
}

VaSpace::~VaSpace() { clear(); }

Result<uint64_t> VaSpace::pick(uint64_t minimum, uint64_t maximum, uint64_t bytes, uint64_t alignment,
                               uint64_t unit) const {
  if (minimum % unit || maximum % unit)
    return Failure(STATUS_INVALID_PARAMETER, "MinimumAddress or MaximumAddress is not aligned");
  if (maximum && minimum >= maximum)
    return Failure(STATUS_INVALID_PARAMETER, "MinimumAddress is not below MaximumAddress");
  uint64_t low = std::max(minimum, first_);
  uint64_t high = maximum ? std::min(maximum, end_) : end_;
  std::optional<uint64_t> va;
  if (low < high) va = ranges_.find_gap({low, high, bytes, alignment});
  if (!va) return Failure(STATUS_NO_MEMORY, "no free GPU addresses of this size between the limits");
  return *va;
}

Result<> VaSpace::check_fixed(uint64_t base, uint64_t bytes, uint64_t unit) const {
  if (base % unit) return Failure(STATUS_INVALID_PARAMETER, "BaseAddress is not aligned");
  if (base < first_ || base >= end_ || bytes > end_ - base)
    return Failure(STATUS_INVALID_PARAMETER, "the range leaves the GPU addresses of the process");
  return {};
}

Result<uint64_t> VaSpace::reserve(const ReserveRequest& request, VaOpList& out) {
  if (request.bytes == 0 || request.bytes % kBigPageBytes)
    return Failure(STATUS_INVALID_PARAMETER, "the size to reserve is no multiple of 64 KiB");
  if (request.protection.zero == request.protection.no_access)
    return Failure(STATUS_INVALID_PARAMETER, "a reservation is either zero or no access");
  if (!is_alignment(request.alignment, kBigPageBytes))
    return Failure(STATUS_INVALID_PARAMETER, "the alignment is no power of two of 64 KiB or more");
  uint64_t va = request.base;
  if (va) {
    TRY(check_fixed(va, request.bytes, kBigPageBytes));
    const VaItem* next = ranges_.at(va).item();
    if (next && next->va < va + request.bytes)
      return Failure(STATUS_INVALID_PARAMETER, "the range to reserve meets one that is reserved or mapped");
  } else {
    va = TRY(pick(request.minimum, request.maximum, request.bytes, request.alignment, kBigPageBytes));
  }
  Reservation* reservation = reservations_.make(nodes_);
  reservation->va = va;
  reservation->bytes = request.bytes;
  reservation->protection = request.protection;
  reservation->held_by_driver = request.held_by_driver;
  reservation->mappable = request.mappable;
  ranges_.insert(*reservation);
  if (request.protection.zero) out.push_back(op_for(*this, va, request.bytes, nullptr, 0, request.protection));
  return va;
}

Result<uint64_t> VaSpace::map(const MapRequest& request, VaOpList& out) {
  if (request.bytes == 0 || request.bytes % kPageBytes)
    return Failure(STATUS_INVALID_PARAMETER, "the size to map is no multiple of 4 KiB");
  if (request.offset_pages > UINT64_MAX / kPageBytes)
    return Failure(STATUS_INVALID_PARAMETER, "the pages to map leave the allocation");
  uint64_t offset = request.offset_pages * kPageBytes;
  TRY(check_mapped(request.what, offset, request.bytes, request.protection));
  TRY(check_unique(request.what, offset, request.bytes, request.protection));
  uint64_t va = request.base;
  Target target{nullptr, next_range_};
  if (va) {
    target = TRY(target_of(request));
  } else {
    if (!is_alignment(request.alignment, kPageBytes))
      return Failure(STATUS_INVALID_PARAMETER, "the alignment is no power of two of 4 KiB or more");
    va = TRY(pick(request.minimum, request.maximum, request.bytes, request.alignment, kPageBytes));
  }
  VaOp op = op_for(*this, va, request.bytes, request.what, offset, request.protection);
  if (target.inside) {
    place_in(*target.inside, op, out);
    return va;
  }
  if (target.range == next_range_)
    ++next_range_;
  else
    carve(ranges_, va, va + request.bytes);
  VaTree::Cursor place = ranges_.at(va);
  add(place, op, target);
  if (!request.protection.no_access) out.push_back(op);  // free addresses have no access anyway
  return va;
}

// Documented at D3DKMTMapGpuVirtualAddress: the whole range is free, or belongs to a range that Reserve or Map
// obtained; zero and no access are not for the latter.
Result<VaSpace::Target> VaSpace::target_of(const MapRequest& request) {
  TRY(check_fixed(request.base, request.bytes, kPageBytes));
  const VaItem* next = ranges_.at(request.base).item();
  if (!next || next->va >= request.base + request.bytes) return Target{nullptr, next_range_};
  if (Reservation* reservation = reservation_around(request.base, request.bytes)) {
    if (!reservation->mappable)
      return Failure(STATUS_INVALID_PARAMETER, "the driver reserved the addresses and allows no mapping there");
    return Target{reservation, 0};
  }
  if (!is_one_range(request.base, request.bytes))
    return Failure(STATUS_INVALID_PARAMETER, "the range is neither free nor inside one that was reserved or mapped");
  if (request.protection.without_memory())
    return Failure(STATUS_INVALID_PARAMETER, "a range that Map obtained cannot be put to zero or no access");
  return Target{nullptr, static_cast<const Mapping*>(next)->range};
}

Result<> VaSpace::check_unique(const Mapped* what, uint64_t offset, uint64_t bytes, const VaProtection& protection) {
  if (!what || what->unique_ == 0) return {};
  for (const Mapping* other = what->first_; other; other = other->next_of_mapped)
    if (conflicts(other->offset, other->bytes, other->protection, offset, bytes, protection))
      return Failure(STATUS_INVALID_PARAMETER, "these pages are mapped with another unique driver protection");
  return {};
}

Reservation* VaSpace::reservation_around(uint64_t base, uint64_t bytes) const {
  VaItem* item = ranges_.at(base).item();
  if (!item || item->kind != VaItem::Kind::Reservation) return nullptr;
  if (item->va > base || base + bytes > item->end()) return nullptr;
  return static_cast<Reservation*>(item);
}

// Whether all of it was obtained by one Map.
bool VaSpace::is_one_range(uint64_t base, uint64_t bytes) const {
  uint64_t range = 0;
  uint64_t va = base;
  for (VaTree::Cursor cursor = ranges_.at(base); va < base + bytes; cursor.advance()) {
    const VaItem* item = cursor.item();
    if (!item || item->kind != VaItem::Kind::Mapping || item->va > va) return false;
    uint64_t its_range = static_cast<const Mapping*>(item)->range;
    if (range && range != its_range) return false;
    range = its_range;
    va = item->end();
  }
  return true;
}

Result<> VaSpace::free(uint64_t base, uint64_t bytes, VaOpList& out) {
  if (bytes == 0 || bytes % kPageBytes)
    return Failure(STATUS_INVALID_PARAMETER, "the size to free is no multiple of 4 KiB");
  TRY(check_fixed(base, bytes, kPageBytes));
  VaOp op = op_for(*this, base, bytes, nullptr, 0, kNoAccess);
  VaTree::Cursor place = ranges_.at(base);
  VaItem* item = place.item();
  if (item && item->kind == VaItem::Kind::Mapping && item->va == base && item->bytes == bytes) {
    // By far the most frequent: one mapping, as it was made.
    ranges_.erase(place);
    give_back(static_cast<Mapping&>(*item));
    out.push_back(op);
    return {};
  }
  if (Reservation* reservation = reservation_around(base, bytes)) {
    bool whole = reservation->bytes == bytes;
    if (whole && reservation->held_by_driver)
      return Failure(STATUS_INVALID_PARAMETER, "the driver reserved the addresses");
    if (whole) {
      bool written = reservation->protection.zero || !reservation->mappings.empty();
      ranges_.erase(*reservation);
      drop_reservation(*reservation);
      if (written) out.push_back(op);
      return {};
    }
    if (!carve(reservation->mappings, base, base + bytes))
      return Failure(STATUS_INVALID_PARAMETER, "nothing is mapped in this part of the reservation");
    op.protection = reservation->protection;
    out.push_back(op);
    return {};
  }
  if (!is_one_range(base, bytes))
    return Failure(STATUS_INVALID_PARAMETER, "the range is not one that was reserved or mapped, nor inside one");
  carve(ranges_, base, base + bytes);
  out.push_back(op);
  return {};
}

// Inside a reservation, addresses in the reservation's own state have no mapping.
void VaSpace::place_in(Reservation& reservation, const VaOp& op, VaOpList& out) {
  VaTree::Cursor place = reservation.mappings.at(op.va);
  bool replaces = place.item() && place.item()->va < op.va + op.bytes;
  bool as_reserved = !op.what && op.protection.zero == reservation.protection.zero;
  if (as_reserved && !replaces) return;
  if (replaces) {
    carve(reservation.mappings, op.va, op.va + op.bytes);
    place = reservation.mappings.at(op.va);
  }
  if (!as_reserved) add(place, op, {&reservation, 0});
  out.push_back(op);
}

// The mapping that the operation makes, at a place in the tree that the target says.
void VaSpace::add(VaTree::Cursor& place, const VaOp& op, Target target) {
  Mapping& mapping = *mappings_.make();
  mapping.va = op.va;
  mapping.bytes = op.bytes;
  mapping.space = this;
  mapping.what = op.what;
  mapping.offset = op.offset;
  mapping.protection = op.protection;
  mapping.inside = target.inside;
  mapping.range = target.range;
  ++mapping_count_;
  tree_of(target.inside).insert(place, mapping);
  Mapped* what = op.what;
  if (!what) return;
  mapping.next_of_mapped = what->first_;
  if (what->first_) what->first_->previous_of_mapped = &mapping;
  what->first_ = &mapping;
  what->unique_ += is_unique(op.protection);
}

void VaSpace::remove(Mapping& mapping) {
  tree_of(mapping.inside).erase(mapping);
  give_back(mapping);
}

// For a mapping that is in no tree any more.
void VaSpace::give_back(Mapping& mapping) {
  --mapping_count_;
  if (Mapped* what = mapping.what) {
    Mapping* next = mapping.next_of_mapped;
    Mapping* previous = mapping.previous_of_mapped;
    (previous ? previous->next_of_mapped : what->first_) = next;
    if (next) next->previous_of_mapped = previous;
    what->unique_ -= is_unique(mapping.protection);
  }
  mappings_.give_back(&mapping);
}

// Empties [va, end) of mappings; whether there were any.
bool VaSpace::carve(VaTree& tree, uint64_t va, uint64_t end) {
  bool any = false;
  for (;;) {
    VaTree::Cursor place = tree.at(va);
    VaItem* item = place.item();
    if (!item || item->va >= end) return any;
    any = true;
    auto& mapping = static_cast<Mapping&>(*item);
    bool last = mapping.end() >= end;
    if (mapping.va == va && mapping.end() <= end) {
      tree.erase(place);
      give_back(mapping);
    } else {
      cut(mapping, va, end);
    }
    if (last) return true;
  }
}

// Takes [va, end) out of a mapping that meets it.
//   |---left---|/////|--right--|   left is the old object, right a new one
void VaSpace::cut(Mapping& mapping, uint64_t va, uint64_t end) {
  uint64_t old_end = mapping.end();
  if (va <= mapping.va && end >= old_end) return remove(mapping);
  VaTree& tree = tree_of(mapping.inside);
  tree.erase(mapping);
  uint64_t right_offset = mapping.offset + (end - mapping.va);
  if (va > mapping.va) {
    mapping.bytes = va - mapping.va;
    tree.insert(mapping);
    if (end >= old_end) return;
    VaTree::Cursor place = tree.at(end);
    VaOp right = op_for(*this, end, old_end - end, mapping.what, right_offset, mapping.protection);
    return add(place, right, {mapping.inside, mapping.range});
  }
  mapping.va = end;
  mapping.bytes = old_end - end;
  mapping.offset = right_offset;
  tree.insert(mapping);
}

void VaSpace::release(uint64_t base) {
  Reservation* reservation = reservation_around(base, 1);
  CHECK(reservation && reservation->va == base && reservation->mappings.empty());
  ranges_.erase(*reservation);
  drop_reservation(*reservation);
}

void VaSpace::drop_reservation(Reservation& reservation) {
  for (VaTree::Cursor cursor = reservation.mappings.begin(); cursor.item(); cursor.advance())
    give_back(static_cast<Mapping&>(*cursor.item()));
  reservations_.give_back(&reservation);
}

void VaSpace::unmap_one(Mapping& mapping, VaOpList& out) {
  const VaProtection& left = mapping.inside ? mapping.inside->protection : kNoAccess;
  out.push_back(op_for(*this, mapping.va, mapping.bytes, nullptr, 0, left));
  remove(mapping);
}

void VaSpace::unmap_all(Mapped& what, VaOpList& out) {
  for (Mapping* mapping = what.first_; mapping;) {
    Mapping* next = mapping->next_of_mapped;
    if (mapping->space == this) unmap_one(*mapping, out);
    mapping = next;
  }
}

void VaSpace::unmap_everywhere(Mapped& what, VaOpList& out) {
  while (Mapping* mapping = what.first_) mapping->space->unmap_one(*mapping, out);
}

void VaSpace::clear() {
  for (VaTree::Cursor cursor = ranges_.begin(); VaItem* item = cursor.item(); cursor.advance()) {
    if (item->kind == VaItem::Kind::Reservation)
      drop_reservation(static_cast<Reservation&>(*item));
    else
      give_back(static_cast<Mapping&>(*item));
  }
  ranges_.clear();
}

const Mapping* VaSpace::find(uint64_t va) const {
  const VaItem* item = ranges_.at(va).item();
  if (item && item->va <= va && item->kind == VaItem::Kind::Reservation)
    item = static_cast<const Reservation*>(item)->mappings.at(va).item();
  return item && item->va <= va ? static_cast<const Mapping*>(item) : nullptr;
}

const Reservation* VaSpace::find_reservation(uint64_t va) const { return reservation_around(va, 1); }

bool VaSpace::validate() const {
  if (!ranges_.validate()) return false;
  size_t count = 0;
  for (VaTree::Cursor range = ranges_.begin(); const VaItem* item = range.item(); range.advance()) {
    if (item->va < first_ || item->end() > end_) return false;
    if (item->kind == VaItem::Kind::Mapping) {
      ++count;
      if (!validate_mapping(static_cast<const Mapping&>(*item), nullptr)) return false;
      continue;
    }
    auto& reservation = static_cast<const Reservation&>(*item);
    if (!reservation.mappings.validate()) return false;
    for (VaTree::Cursor inside = reservation.mappings.begin(); inside.item(); inside.advance()) {
      ++count;
      if (!validate_mapping(static_cast<const Mapping&>(*inside.item()), &reservation)) return false;
    }
  }
  return count == mapping_count_;
}

bool VaSpace::validate_mapping(const Mapping& mapping, const Reservation* inside) const {
  if (mapping.space != this || mapping.inside != inside || (mapping.range == 0) != (inside != nullptr)) return false;
  if (inside && (mapping.va < inside->va || mapping.end() > inside->end())) return false;
  if (!mapping.what) return mapping.protection.without_memory();
  if (mapping.offset + mapping.bytes > mapping.what->bytes()) return false;
  const Mapping* previous = mapping.previous_of_mapped;
  return previous ? previous->next_of_mapped == &mapping : mapping.what->first_ == &mapping;
}

}  // namespace vidmm

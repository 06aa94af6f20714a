#include "vidmm/address/page_table_writer.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace vidmm {
namespace {

using base::Failure;
using base::Result;

constexpr uint32_t kSmallPerBig = kBigPageBytes / kPageBytes;
constexpr DXGK_PTE kInvalid{};

bool same(const DXGK_PTE& a, const DXGK_PTE& b) { return a.Flags == b.Flags && a.PageAddress == b.PageAddress; }

bool all_same(const std::vector<DXGK_PTE>& entries, uint32_t first, uint32_t end) {
  if (entries.empty()) return true;
  for (uint32_t i = first + 1; i < end; ++i)
    if (!same(entries[i], entries[first])) return false;
  return true;
}

uint64_t driver_protection_of(const Table& table, uint32_t index) {
  return table.driver_protections.empty() ? 0 : table.driver_protections[index];
}

}  // namespace

Result<> PageTables::Writer::write() {
  size_t before = tables_.table_count_;
  Result<> prepared = grow_root();
  if (prepared.ok()) prepared = prepare(grown_ ? *grown_ : *tables_.root_);
  if (!prepared.ok()) {
    undo();
    CHECK(tables_.table_count_ == before);
    return prepared;
  }
  if (suspend_) out_.ops_.push_back({.kind = TableOp::Kind::Suspend});
  Table* old_root = tables_.root_;
  if (grown_) {
    tables_.root_ = grown_;
    initialise(*grown_);
    for (uint32_t i = 0; i < old_root->count; ++i) {
      for (Table* child : {grown_->children[i], grown_->children_64k[i]})
        if (child) child->parent = grown_;
      if (valid(*grown_, i)) mark_dirty(*grown_, i, i + 1);
    }
  }
  fill(*tables_.root_);
  emit(*tables_.root_);
  if (grown_) {
    out_.ops_.push_back({.kind = TableOp::Kind::SetRoot, .table = grown_});
    old_root->children.clear();
    old_root->children_64k.clear();
    drop(old_root);
  }
  finish();
  return {};
}

// Two levels: a root that covers the range, with all that the present one says. Documented at "GPU virtual address".
Result<> PageTables::Writer::grow_root() {
  Table& root = *tables_.root_;
  uint64_t entries = (content_.end() - 1) / tables_.coverage(root) + 1;
  if (entries <= root.count || content_.kind() == Kind::Invalid) return {};
  auto count = static_cast<uint32_t>(std::bit_ceil(entries));
  grown_ = TRY(tables_.make_table(root.level, false, 0, count));
  std::copy(root.entries.begin(), root.entries.end(), grown_->entries.begin());
  std::copy(root.entries_64k.begin(), root.entries_64k.end(), grown_->entries_64k.begin());
  std::copy(root.children.begin(), root.children.end(), grown_->children.begin());
  std::copy(root.children_64k.begin(), root.children_64k.end(), grown_->children_64k.begin());
  grown_->valid = root.valid;
  return {};
}

// Visits the entries that the call touches, until a visit fails.
template <typename Visit>
Result<> PageTables::Writer::for_parts(const Table& table, Visit visit) {
  uint64_t bytes = tables_.coverage(table);
  uint64_t table_end = table.va + bytes * table.count;
  uint64_t end = std::min(content_.end(), table_end);
  for (uint64_t va = std::max(content_.va(), table.va); va < end;) {
    auto index = static_cast<uint32_t>((va - table.va) / bytes);
    uint64_t entry_va = table.va + index * bytes;
    uint64_t part_end = std::min(end, entry_va + bytes);
    TRY(visit(Part{index, va, part_end, entry_va, bytes}));
    va = part_end;
  }
  return {};
}

// Visits the part in pieces that lie in one 64 KiB page each.
template <typename Visit>
void PageTables::Writer::for_chunks(const Part& part, Visit visit) {
  for (uint64_t va = part.va; va < part.end;) {
    uint64_t end = std::min(part.end, (va / kBigPageBytes + 1) * kBigPageBytes);
    visit(va, end, content_.pages_64k(va, end));
    va = end;
  }
}

// Whether one entry of this level (above the leaf) takes the whole part.
bool PageTables::Writer::at_this_level(const Part& part) {
  if (!part.full()) return false;
  return content_.kind() != Kind::Pages || content_.large(part.entry_va, part.entry_bytes);
}

bool PageTables::Writer::valid(const Table& table, uint32_t index) {
  return table.entries[index].Valid || (!table.entries_64k.empty() && table.entries_64k[index].Valid);
}

// The large page or the zeros at an entry, else an invalid entry. In a table that was only just made it is what the
// entry says that the table will take the place of.
DXGK_PTE PageTables::Writer::undivided(const Table& table, uint32_t index) {
  const Table* from = &table;
  while (from->fresh && from->parent) {
    index = from->index;
    from = from->parent;
  }
  const DXGK_PTE& entry = from->entries[index];
  return entry.LargePage || entry.Zero ? entry : kInvalid;
}

Result<> PageTables::Writer::prepare(Table& table) {
  return for_parts(table, [&](const Part& part) -> Result<> {
    if (at_this_level(part)) return {};
    if (content_.kind() == Kind::Invalid && !valid(table, part.index) && !undivided(table, part.index).Valid) return {};
    if (table.level == 1) return dual() ? prepare_dual(table, part) : prepare_single(table, part);
    Table* child = table.children[part.index];
    if (!child) child = TRY(add_child(table, part.index, false));
    return prepare(*child);
  });
}

// A leaf is of 4 KiB or of 64 KiB pages. The latter becomes the former when something smaller comes, never back.
Result<> PageTables::Writer::prepare_single(Table& table, const Part& part) {
  if (table.children[part.index]) return {};
  const Table* leaf_64k = table.children_64k[part.index];
  bool fits_64k = leaf_64k && content_.kind() == Kind::Invalid ? !cuts_page(*leaf_64k, part)
                                                               : content_.pages_64k(part.va, part.end);
  if (leaf_64k && fits_64k) return {};
  if (leaf_64k) suspend_ = true;
  if (undivided(table, part.index).LargePage) fits_64k = false;
  TRY(add_child(table, part.index, fits_64k));
  return {};
}

// Whether only some of a valid 64 KiB page is in the part.
bool PageTables::Writer::cuts_page(const Table& leaf_64k, const Part& part) {
  bool cuts = false;
  for_chunks(part, [&](uint64_t va, uint64_t end, bool) {
    cuts |= end - va < kBigPageBytes && big_page(leaf_64k, va).entry.Valid;
  });
  return cuts;
}

// Both kinds of leaf beside each other; each 64 KiB of addresses are valid in one of them.
Result<> PageTables::Writer::prepare_dual(Table& table, const Part& part) {
  const Table* leaf_64k = table.children_64k[part.index];
  bool small = undivided(table, part.index).Valid;
  bool big = false;
  if (leaf_64k && cuts_page(*leaf_64k, part)) suspend_ = small = true;
  if (content_.kind() != Kind::Invalid)
    for_chunks(part, [&](uint64_t, uint64_t, bool fits_64k) { (fits_64k ? big : small) = true; });
  if (small && !table.children[part.index]) TRY(add_child(table, part.index, false));
  if (big && !leaf_64k) TRY(add_child(table, part.index, true));
  return {};
}

Result<Table*> PageTables::Writer::add_child(Table& table, uint32_t index, bool pages_64k) {
  unsigned level = table.level - 1;
  uint32_t count = uint32_t{1} << tables_.levels_[level].PageTableIndexBitCount;
  if (pages_64k) count /= kSmallPerBig;
  uint64_t va = table.va + index * tables_.coverage(table);
  Table* child = TRY(tables_.make_table(level, pages_64k, va, count));
  child->parent = &table;
  child->index = index;
  (pages_64k ? table.children_64k : table.children)[index] = child;
  made_.push_back(child);
  return child;
}

void PageTables::Writer::undo() {
  auto destroy = [&](Table* table) {
    tables_.owner_.destroy_table(*table);
    --tables_.table_count_;
    delete table;
  };
  while (!made_.empty()) {
    Table* table = made_.back();
    made_.pop_back();
    (table->pages_64k ? table->parent->children_64k : table->parent->children)[table->index] = nullptr;
    destroy(table);
  }
  if (grown_) destroy(grown_);
}

void PageTables::Writer::fill(Table& table) {
  for_parts(table, [&](const Part& part) -> Result<> {
    if (at_this_level(part)) {
      DXGK_PTE entry = content_.entry(part.entry_va);
      entry.LargePage = content_.kind() == Kind::Pages;
      set_links(table, part.index, entry, kInvalid);
      if (Table*& child = table.children[part.index]) drop(std::exchange(child, nullptr));
      if (table.level == 1 && table.children_64k[part.index])
        drop(std::exchange(table.children_64k[part.index], nullptr));
      return {};
    }
    if (content_.kind() == Kind::Invalid && !valid(table, part.index)) return {};
    if (table.level == 1) {
      fill_leaves(table, part);
      return {};
    }
    Table& child = *table.children[part.index];
    if (child.fresh) {
      initialise(child);
      split(undivided(table, part.index), child);
    }
    fill(child);
    settle(table.children[part.index]);
    relink(table, part.index);
    return {};
  }).take();
}

void PageTables::Writer::fill_leaves(Table& table, const Part& part) {
  Table*& leaf = table.children[part.index];
  Table*& leaf_64k = table.children_64k[part.index];
  DXGK_PTE whole = undivided(table, part.index);
  if (leaf_64k && leaf_64k->fresh) {
    initialise(*leaf_64k);
    if (!leaf) split(whole, *leaf_64k);
  }
  if (leaf && leaf->fresh) {
    initialise(*leaf);
    split(whole, *leaf);
  }
  if (dual())
    fill_dual(table, part);
  else
    fill_single(table, part);
  settle(leaf);
  settle(leaf_64k);
  relink(table, part.index);
}

void PageTables::Writer::fill_single(Table& table, const Part& part) {
  Table* leaf = table.children[part.index];
  Table*& leaf_64k = table.children_64k[part.index];
  if (!leaf) {
    // A piece that does not fit is one to unmap where nothing is.
    return for_chunks(part, [&](uint64_t va, uint64_t end, bool fits_64k) {
      if (fits_64k) fill_leaf(*leaf_64k, va, end);
    });
  }
  if (leaf_64k) {
    for (uint32_t i = 0; i < leaf_64k->count; ++i) demote(big_page(*leaf_64k, leaf_64k->va + i * kBigPageBytes), *leaf);
    drop(std::exchange(leaf_64k, nullptr));
  }
  fill_leaf(*leaf, part.va, part.end);
}

// What moves from one kind of leaf to the other is made invalid in the old one first: never are both valid.
void PageTables::Writer::fill_dual(Table& table, const Part& part) {
  Table* leaf = table.children[part.index];
  Table* leaf_64k = table.children_64k[part.index];
  std::vector<BigPage> cut;
  bool moves = false;
  for_chunks(part, [&](uint64_t va, uint64_t end, bool fits_64k) {
    if (fits_64k) {
      if (leaf) moves |= clear(*leaf, va, end) && content_.kind() != Kind::Invalid;
      return;
    }
    if (!leaf_64k) return;
    BigPage old = big_page(*leaf_64k, va);
    if (!old.entry.Valid) return;
    moves = true;
    if (end - va < kBigPageBytes) cut.push_back(old);
    clear(*leaf_64k, va, end);
  });
  if (moves && leaf) emit(*leaf);
  if (moves && leaf_64k) emit(*leaf_64k);
  for (const BigPage& old : cut) demote(old, *leaf);
  for_chunks(part, [&](uint64_t va, uint64_t end, bool fits_64k) {
    if (Table* target = fits_64k ? leaf_64k : leaf) fill_leaf(*target, va, end);
  });
}

PageTables::Writer::BigPage PageTables::Writer::big_page(const Table& leaf_64k, uint64_t va) {
  auto index = static_cast<uint32_t>((va - leaf_64k.va) / kBigPageBytes);
  return {leaf_64k.va + index * kBigPageBytes, leaf_64k.entries[index], driver_protection_of(leaf_64k, index)};
}

void PageTables::Writer::fill_leaf(Table& leaf, uint64_t va, uint64_t end) {
  uint64_t step = tables_.coverage(leaf);
  for (; va < end; va += step)
    set(leaf, static_cast<uint32_t>((va - leaf.va) / step), content_.entry(va), content_.driver_protection());
}

// Whether anything was valid in the entries that [va, end) touches; now nothing is.
bool PageTables::Writer::clear(Table& leaf, uint64_t va, uint64_t end) {
  uint64_t step = tables_.coverage(leaf);
  uint32_t before = leaf.valid;
  for (; va < end; va += step) set(leaf, static_cast<uint32_t>((va - leaf.va) / step), kInvalid);
  return leaf.valid != before;
}

// The table that takes the place of a large page or of zeros says the same as the entry did.
void PageTables::Writer::split(const DXGK_PTE& entry, Table& below) {
  if (!entry.Valid) return;
  DXGK_PTE piece = entry;
  piece.LargePage = entry.LargePage && below.level > 0;
  for (uint32_t i = 0; i < below.count; ++i) {
    if (entry.LargePage) piece.PageAddress = entry.PageAddress + i * (tables_.coverage(below) / kPageBytes);
    set_links(below, i, piece, kInvalid);
  }
}

void PageTables::Writer::demote(const BigPage& page, Table& leaf) {
  if (!page.entry.Valid) return;
  auto first = static_cast<uint32_t>((page.va - leaf.va) / kPageBytes);
  DXGK_PTE entry = page.entry;
  for (uint32_t i = 0; i < kSmallPerBig; ++i) {
    if (!entry.Zero) entry.PageAddress = page.entry.PageAddress + i;
    set(leaf, first + i, entry, page.driver_protection);
  }
}

// The table's part of the call is done: its update is made, or it goes because nothing in it is valid.
void PageTables::Writer::settle(Table*& child) {
  if (!child) return;
  if (child->valid)
    emit(*child);
  else
    drop(std::exchange(child, nullptr));
}

// The entry points to whichever tables there are now.
void PageTables::Writer::relink(Table& table, uint32_t index) {
  const Table* leaf_64k = table.level == 1 ? table.children_64k[index] : nullptr;
  const Table* child = table.children[index];
  if (dual() || !leaf_64k)
    set_links(table, index, link_to(child), link_to(leaf_64k));
  else
    set_links(table, index, link_to(leaf_64k), kInvalid);
}

DXGK_PTE PageTables::Writer::link_to(const Table* child) const {
  DXGK_PTE entry{};
  if (!child) return entry;
  entry.Valid = 1;
  entry.Segment = child->segment & 31;
  entry.PageTablePageSize = child->pages_64k ? DXGK_PTE_PAGE_TABLE_PAGE_64KB : DXGK_PTE_PAGE_TABLE_PAGE_4KB;
  entry.PageTableAddress = child->page;
  return entry;
}

void PageTables::Writer::set(Table& table, uint32_t index, const DXGK_PTE& entry, uint64_t driver_protection) {
  if (!entry.Valid) driver_protection = 0;
  bool same_protection = driver_protection == driver_protection_of(table, index);
  if (same(table.entries[index], entry) && same_protection) return;
  if (!same_protection) {
    table.driver_protections.resize(table.count);
    table.driver_protections[index] = driver_protection;
  }
  bool was_valid = table.entries[index].Valid;
  table.entries[index] = entry;
  changed(table, index, was_valid);
}

// For tables above the leaf, where an entry may have a second half.
void PageTables::Writer::set_links(Table& table, uint32_t index, const DXGK_PTE& entry, const DXGK_PTE& entry_64k) {
  if (table.entries_64k.empty()) return set(table, index, entry);
  if (same(table.entries[index], entry) && same(table.entries_64k[index], entry_64k)) return;
  bool was_valid = valid(table, index);
  table.entries[index] = entry;
  table.entries_64k[index] = entry_64k;
  changed(table, index, was_valid);
}

// A valid entry may be cached with all it covers; an invalid one too, unless the driver says that its GPU does not.
void PageTables::Writer::changed(Table& table, uint32_t index, bool was_valid) {
  table.valid += static_cast<uint32_t>(valid(table, index)) - static_cast<uint32_t>(was_valid);
  mark_dirty(table, index, index + 1);
  uint64_t bytes = tables_.coverage(table);
  uint64_t va = table.va + index * bytes;
  uint64_t end = va + bytes;
  if (!was_valid) {
    if (caps_.InvalidTlbEntriesNotCached) return;
    va = std::max(va, content_.va());
    end = std::min(end, content_.end());
    if (va >= end) return;
  }
  flush_va_ = std::min(flush_va_, va);
  flush_end_ = std::max(flush_end_, end);
}

void PageTables::Writer::mark_dirty(Table& table, uint32_t first, uint32_t end) {
  bool clean = table.dirty_first == table.dirty_end;
  table.dirty_first = clean ? first : std::min(table.dirty_first, first);
  table.dirty_end = clean ? end : std::max(table.dirty_end, end);
}

// A table that nothing points to any more, with all below it.
void PageTables::Writer::drop(Table* table) {
  dropped_.push_back(table);
  for (Table*& child : table->children)
    if (child) drop(std::exchange(child, nullptr));
  for (Table*& child : table->children_64k)
    if (child) drop(std::exchange(child, nullptr));
}

void PageTables::Writer::emit(Table& table) {
  uint32_t first = table.dirty_first;
  uint32_t end = table.dirty_end;
  table.dirty_first = table.dirty_end = 0;
  while (first < end) {
    uint32_t run_end = first + 1;
    uint64_t driver_protection = driver_protection_of(table, first);
    while (run_end < end && driver_protection_of(table, run_end) == driver_protection) ++run_end;
    emit_update(table, first, run_end, driver_protection);
    first = run_end;
  }
}

void PageTables::Writer::emit_update(Table& table, uint32_t first, uint32_t end, uint64_t driver_protection) {
  uint64_t bytes = tables_.coverage(table);
  bool repeat = end - first > 1 && all_same(table.entries, first, end) && all_same(table.entries_64k, first, end);
  out_.ops_.push_back({.kind = TableOp::Kind::Update,
                       .table = &table,
                       .start = first,
                       .count = end - first,
                       .repeat = repeat,
                       .va = table.va + first * bytes,
                       .end = table.va + end * bytes,
                       .driver_protection = driver_protection,
                       .entries_at = static_cast<uint32_t>(out_.pool_.size())});
  auto copy = [&](const std::vector<DXGK_PTE>& entries) {
    if (entries.empty()) return;
    auto from = entries.begin() + first;
    out_.pool_.insert(out_.pool_.end(), from, from + (repeat ? 1 : end - first));
  };
  copy(table.entries);
  copy(table.entries_64k);
}

void PageTables::Writer::initialise(Table& table) {
  table.fresh = false;
  write_invalid(table, TableOp::Kind::Initialise);
}

void PageTables::Writer::write_invalid(Table& table, TableOp::Kind kind) {
  out_.ops_.push_back({.kind = kind,
                       .table = &table,
                       .count = table.count,
                       .repeat = true,
                       .va = table.va,
                       .end = table.va + table.count * tables_.coverage(table),
                       .entries_at = static_cast<uint32_t>(out_.pool_.size())});
  out_.pool_.insert(out_.pool_.end(), table.entries_64k.empty() ? 1 : 2, kInvalid);
}

void PageTables::Writer::finish() {
  // From the top down: what is freed has nothing pointing to it, not even from a table that will be freed next.
  std::stable_sort(dropped_.begin(), dropped_.end(), [](Table* a, Table* b) { return a->level > b->level; });
  if (caps_.ExplicitPageTableInvalidation) {
    for (Table* table : dropped_)
      if (table->valid || table->dirty_first != table->dirty_end) write_invalid(*table, TableOp::Kind::Update);
  }
  if (flush_va_ < flush_end_) out_.ops_.push_back({.kind = TableOp::Kind::Flush, .va = flush_va_, .end = flush_end_});
  if (suspend_) out_.ops_.push_back({.kind = TableOp::Kind::Resume});
  for (Table* table : dropped_) {
    out_.ops_.push_back({.kind = TableOp::Kind::Free, .table = table});
    out_.freed_.emplace_back(table);
    --tables_.table_count_;
  }
}

void PageTables::Writer::rewrite(Table& table) {
  initialise(table);
  for (uint32_t i = 0; i < table.count; ++i)
    if (valid(table, i)) mark_dirty(table, i, i + 1);
  emit(table);
  flush_va_ = table.va;
  flush_end_ = table.va + table.count * tables_.coverage(table);
  if (table.parent) {
    relink(*table.parent, table.index);
    emit(*table.parent);
  }
  finish();
}

}  // namespace vidmm

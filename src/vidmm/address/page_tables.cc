#include "vidmm/address/page_tables.h"

#include <numeric>

#include "vidmm/address/page_table_writer.h"

namespace vidmm {
namespace {

using base::Failure;
using base::Result;

constexpr unsigned kPageShift = 12;
constexpr unsigned kMaxIndexBits = 20;  // a table of a million entries

}  // namespace

PageTables::PageTables(const DXGK_GPUMMUCAPS& caps, std::span<const DXGK_PAGE_TABLE_LEVEL_DESC> levels, Owner& owner)
    : caps_(caps),
      levels_(levels.begin(), levels.end()),
      end_va_(uint64_t{1} << caps.VirtualAddressBitCount),
      owner_(owner) {
  unsigned shift = kPageShift;
  for (const DXGK_PAGE_TABLE_LEVEL_DESC& level : levels_) {
    shifts_.push_back(shift);
    shift += level.PageTableIndexBitCount;
  }
}

Result<std::unique_ptr<PageTables>> PageTables::create(const DXGK_GPUMMUCAPS& caps,
                                                       std::span<const DXGK_PAGE_TABLE_LEVEL_DESC> levels, Owner& owner,
                                                       TableOpList& out) {
  if (levels.size() < DXGK_MIN_PAGE_TABLE_LEVEL_COUNT || levels.size() > DXGK_MAX_PAGE_TABLE_LEVEL_COUNT)
    return Failure(STATUS_INVALID_PARAMETER, "page tables have 2 to 6 levels");
  unsigned bits = kPageShift;
  for (const DXGK_PAGE_TABLE_LEVEL_DESC& level : levels) {
    if (level.PageTableIndexBitCount > kMaxIndexBits)
      return Failure(STATUS_INVALID_PARAMETER, "a page table of more than a million entries");
    bits += level.PageTableIndexBitCount;
  }
  // Two levels have a root that grows: what is given is how it begins.
  unsigned wanted = caps.VirtualAddressBitCount;
  bool grows = levels.size() == 2;
  if (wanted > DXGK_MAX_GPU_VA_BIT_COUNT || (grows ? bits > wanted : bits != wanted))
    return Failure(STATUS_INVALID_PARAMETER, "the index bits of the levels do not make a virtual address");
  if (grows && wanted - kPageShift - levels[0].PageTableIndexBitCount > kMaxIndexBits)
    return Failure(STATUS_INVALID_PARAMETER, "the root page table would have more than a million entries");
  if (levels[0].PageTableIndexBitCount < 4)
    return Failure(STATUS_INVALID_PARAMETER, "a leaf page table covers less than 64 KiB");

  std::unique_ptr<PageTables> tables(new PageTables(caps, levels, owner));
  unsigned top = tables->top();
  uint32_t count = uint32_t{1} << levels[top].PageTableIndexBitCount;
  tables->root_ = TRY(tables->make_table(top, false, 0, count));
  PageContent nothing(caps, PageContent::Kind::Invalid, 0, 0);
  Writer(*tables, nothing, out).initialise(*tables->root_);
  return tables;
}

PageTables::~PageTables() {
  if (root_) destroy(root_);
}

void PageTables::destroy(Table* table) {
  for (Table* child : table->children)
    if (child) destroy(child);
  for (Table* child : table->children_64k)
    if (child) destroy(child);
  owner_.destroy_table(*table);
  delete table;
}

Result<Table*> PageTables::make_table(unsigned level, bool pages_64k, uint64_t va, uint32_t count) {
  auto table = std::make_unique<Table>();
  table->level = level;
  table->pages_64k = pages_64k;
  table->va = va;
  table->count = count;
  table->entries.resize(count);
  if (level > 0) table->children.resize(count);
  if (level == 1) table->children_64k.resize(count);
  if (level == 1 && caps_.DualPteSupported) table->entries_64k.resize(count);
  TRY(owner_.create_table(*table));
  ++table_count_;
  return table.release();
}

Result<> PageTables::check_range(uint64_t va, uint64_t bytes) const {
  if (va % kPageBytes || bytes % kPageBytes || bytes == 0)
    return Failure(STATUS_INVALID_PARAMETER, "addresses in page tables come in pages of 4 KiB");
  if (va < first_va() || va >= end_va_ || bytes > end_va_ - va)
    return Failure(STATUS_INVALID_PARAMETER, "the range leaves the page tables, or is under their first root entry");
  return {};
}

Result<> PageTables::map(uint64_t va, uint64_t bytes, std::span<const PageRun> runs, const VaProtection& protection,
                         TableOpList& out) {
  TRY(check_range(va, bytes));
  uint64_t pages = 0;
  for (const PageRun& run : runs) {
    if (run.segment > 31) return Failure(STATUS_INVALID_PARAMETER, "a page table entry names segments below 32");
    pages += run.count;
  }
  if (pages != bytes / kPageBytes) return Failure(STATUS_INVALID_PARAMETER, "as many pages as addresses");
  PageContent content(caps_, va, bytes, runs, protection);
  return Writer(*this, content, out).write();
}

Result<> PageTables::map_zero(uint64_t va, uint64_t bytes, TableOpList& out) {
  TRY(check_range(va, bytes));
  if (!caps_.ZeroInPteSupported)
    return Failure(STATUS_NOT_SUPPORTED, "the driver's page table entries have no Zero state");
  PageContent content(caps_, PageContent::Kind::Zero, va, bytes);
  return Writer(*this, content, out).write();
}

Result<> PageTables::unmap(uint64_t va, uint64_t bytes, TableOpList& out) {
  TRY(check_range(va, bytes));
  PageContent content(caps_, PageContent::Kind::Invalid, va, bytes);
  return Writer(*this, content, out).write();
}

void PageTables::moved(Table& table, TableOpList& out) {
  PageContent content(caps_, PageContent::Kind::Invalid, table.va, 0);
  Writer(*this, content, out).rewrite(table);
}

std::optional<PageTables::Translation> PageTables::translate(uint64_t va) const {
  const Table* table = root_;
  for (;;) {
    uint64_t index = (va - table->va) / coverage(*table);
    if (index >= table->count) return std::nullopt;
    if (table->level == 1 && table->children_64k[index]) {
      const Table& leaf = *table->children_64k[index];
      const DXGK_PTE& entry = leaf.entries[(va - leaf.va) / kBigPageBytes];
      if (entry.Valid) return Translation{entry, 0, true, entry.PageAddress + va % kBigPageBytes / kPageBytes};
    }
    const Table* child = table->level > 0 ? table->children[index] : nullptr;
    if (!child) {
      const DXGK_PTE& entry = table->entries[index];
      bool link = table->level == 1 && table->children_64k[index];
      if (!entry.Valid || link) return std::nullopt;
      return Translation{entry, table->level, table->pages_64k, entry.PageAddress + va % coverage(*table) / kPageBytes};
    }
    table = child;
  }
}

bool PageTables::validate() const {
  size_t count = 0;
  return !root_->entries[0].Valid && validate_table(*root_, count) && count == table_count_;
}

bool PageTables::validate_table(const Table& table, size_t& count) const {
  ++count;
  uint32_t valid = 0;
  if (table.fresh || table.dirty_first != table.dirty_end || (&table != root_ && table.valid == 0)) return false;
  for (uint32_t i = 0; i < table.count; ++i) {
    bool second = !table.entries_64k.empty() && table.entries_64k[i].Valid;
    valid += table.entries[i].Valid || second;
    if (table.level == 0) continue;
    const Table* below = table.children[i];
    const Table* below_64k = table.level == 1 ? table.children_64k[i] : nullptr;
    for (const Table* child : {below, below_64k}) {
      if (!child) continue;
      bool in_second = child->pages_64k && caps_.DualPteSupported;
      const DXGK_PTE& entry = in_second ? table.entries_64k[i] : table.entries[i];
      if (child->parent != &table || child->index != i || child->va != table.va + i * coverage(table)) return false;
      if (!entry.Valid || entry.LargePage || entry.PageTableAddress != child->page || entry.Segment != child->segment)
        return false;
      if (!validate_table(*child, count)) return false;
    }
    if (below && below_64k && !caps_.DualPteSupported) return false;
  }
  return valid == table.valid;
}

}  // namespace vidmm

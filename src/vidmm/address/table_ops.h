#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abi/shared/d3dukmdt_residency.h"

namespace vidmm {

// One page table of one address space, as it is once all operations so far were performed. Made and linked by
// PageTables; its owner puts `segment`, `page` and `memory` there when it creates the memory behind it.
struct Table {
  unsigned level = 0;      // 0 is the leaf
  bool pages_64k = false;  // a leaf whose entries cover 64 KiB
  uint32_t count = 0;      // entries
  uint64_t va = 0;         // what its first entry covers
  Table* parent = nullptr;
  uint32_t index = 0;  // its entry in the parent
  uint32_t valid = 0;  // entries that are valid

  // The owner's: where it lies, as an entry above names it (a page of the segment; of the machine for segment 0).
  uint32_t segment = 0;
  uint64_t page = 0;
  void* memory = nullptr;

  std::vector<DXGK_PTE> entries;
  std::vector<DXGK_PTE> entries_64k;         // level 1 with dual entries: the pointers to tables of 64 KiB pages
  std::vector<Table*> children;              // levels above the leaf
  std::vector<Table*> children_64k;          // level 1
  std::vector<uint64_t> driver_protections;  // a leaf in which any is not 0

  // Entries that differ from what the operations so far wrote; and whether the memory was never written.
  uint32_t dirty_first = 0;
  uint32_t dirty_end = 0;
  bool fresh = true;
};

// One step for the code that performs paging operations, most of them a DXGK_OPERATION_UPDATE_PAGE_TABLE or FLUSH_TLB.
// An Update of a leaf can reach over several mappings where a larger page was cut; a driver is told one allocation and
// its sequential pages per update, so that code divides it where VaSpace::find() says that mappings meet.
struct TableOp {
  enum class Kind : uint8_t {
    Initialise,  // the first write of a table: InitialUpdate and Repeat, every entry invalid
    Update,      // `count` entries from `start` on
    SetRoot,     // `table` is the root from here on (two levels, where the root grows)
    Suspend,     // no context of the process may run until Resume: a table changes its page size
    Flush,       // translations of [va, end) may be cached and are no longer true
    Resume,
    Free,  // nothing refers to `table` any more: its memory may go
  };
  Kind kind;
  Table* table = nullptr;
  uint32_t start = 0;
  uint32_t count = 0;
  bool repeat = false;             // one entry stands for all
  uint64_t va = 0;                 // of the first entry; of a Flush
  uint64_t end = 0;                // of the last entry; of a Flush
  uint64_t driver_protection = 0;  // leaf entries only
  uint32_t entries_at = 0;         // in the list's pool
};

// Operations in order and the entries they write. It keeps tables that its Free operations name until it is cleared,
// so it is cleared only after they were performed.
class TableOpList {
 public:
  std::span<const TableOp> ops() const { return ops_; }
  // pPageTableEntries, and pPageTableEntries64KB (empty unless the table has dual entries).
  std::span<const DXGK_PTE> entries(const TableOp& op) const {
    return std::span(pool_).subspan(op.entries_at, entry_count(op));
  }
  std::span<const DXGK_PTE> entries_64k(const TableOp& op) const {
    if (op.table->entries_64k.empty()) return {};
    return std::span(pool_).subspan(op.entries_at + entry_count(op), entry_count(op));
  }
  bool empty() const { return ops_.empty(); }
  void clear() {
    ops_.clear();
    pool_.clear();
    freed_.clear();
  }

 private:
  friend class PageTables;
  static size_t entry_count(const TableOp& op) { return op.repeat ? 1 : op.count; }

  std::vector<TableOp> ops_;
  std::vector<DXGK_PTE> pool_;
  std::vector<std::unique_ptr<Table>> freed_;
};

}  // namespace vidmm

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vidmm/address/page_content.h"
#include "vidmm/address/page_tables.h"

namespace vidmm {

// One call of PageTables. First it makes every table that the call will need; this can fail and is then undone. Then it
// changes the mirror from the leaves up, and records in each table the entries that changed; once a table's part is
// done the record becomes one Update. A table that is not linked yet is therefore complete before the entry above
// points to it:
//
//   Suspend?  Initialise leaf  Update leaf  Initialise above  Update above …  Update root  SetRoot?
//   [Update dropped tables: invalid]  Flush?  Resume?  Free dropped tables
class PageTables::Writer {
 public:
  Writer(PageTables& tables, PageContent& content, TableOpList& out)
      : tables_(tables), caps_(tables.caps_), content_(content), out_(out) {}

  base::Result<> write();
  void rewrite(Table& table);
  void initialise(Table& table);

 private:
  using Kind = PageContent::Kind;

  // The part of the call that an entry covers.
  struct Part {
    uint32_t index;
    uint64_t va, end;                // the part
    uint64_t entry_va, entry_bytes;  // the entry
    bool full() const { return va == entry_va && end == entry_va + entry_bytes; }
  };
  // A 64 KiB page as its leaf says it.
  struct BigPage {
    uint64_t va;
    DXGK_PTE entry;
    uint64_t driver_protection;
  };
  template <typename Visit>
  base::Result<> for_parts(const Table& table, Visit visit);
  template <typename Visit>
  void for_chunks(const Part& part, Visit visit);

  bool dual() const { return caps_.DualPteSupported && caps_.LeafPageTableSizeFor64KPagesInBytes; }
  bool at_this_level(const Part& part);
  static bool valid(const Table& table, uint32_t index);
  static DXGK_PTE undivided(const Table& table, uint32_t index);

  base::Result<> grow_root();
  base::Result<> prepare(Table& table);
  base::Result<> prepare_single(Table& table, const Part& part);
  base::Result<> prepare_dual(Table& table, const Part& part);
  bool cuts_page(const Table& leaf_64k, const Part& part);
  base::Result<Table*> add_child(Table& table, uint32_t index, bool pages_64k);
  void undo();

  void fill(Table& table);
  void fill_leaves(Table& table, const Part& part);
  void fill_leaf(Table& leaf, uint64_t va, uint64_t end);
  void fill_single(Table& table, const Part& part);
  void fill_dual(Table& table, const Part& part);
  bool clear(Table& leaf, uint64_t va, uint64_t end);
  void split(const DXGK_PTE& entry, Table& below);
  static BigPage big_page(const Table& leaf_64k, uint64_t va);
  void demote(const BigPage& page, Table& leaf);
  void settle(Table*& child);
  void relink(Table& table, uint32_t index);
  DXGK_PTE link_to(const Table* child) const;

  void set(Table& table, uint32_t index, const DXGK_PTE& entry, uint64_t driver_protection = 0);
  void set_links(Table& table, uint32_t index, const DXGK_PTE& entry, const DXGK_PTE& entry_64k);
  void changed(Table& table, uint32_t index, bool was_valid);
  void mark_dirty(Table& table, uint32_t first, uint32_t end);
  void drop(Table* table);

  void emit(Table& table);
  void emit_update(Table& table, uint32_t first, uint32_t end, uint64_t driver_protection);
  void write_invalid(Table& table, TableOp::Kind kind);
  void finish();

  PageTables& tables_;
  const DXGK_GPUMMUCAPS& caps_;
  PageContent& content_;
  TableOpList& out_;
  Table* grown_ = nullptr;  // the root to be, when it has to grow
  std::vector<Table*> made_;
  std::vector<Table*> dropped_;
  bool suspend_ = false;
  uint64_t flush_va_ = UINT64_MAX;
  uint64_t flush_end_ = 0;
};

}  // namespace vidmm

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "abi/km/d3dkmddi_caps.h"
#include "abi/shared/d3dukmdt_residency.h"
#include "base/result.h"
#include "vidmm/address/mapping.h"
#include "vidmm/address/table_ops.h"

namespace vidmm {

// Pages of memory that follow each other: `count` pages of 4 KiB from `page` on, in a segment or (segment 0) in the
// machine's memory.
struct PageRun {
  uint32_t segment = 0;
  uint64_t page = 0;
  uint64_t count = 0;
  bool cache_coherent = false;
  bool pages_64k = false;  // the segment is managed in pages of 64 KiB
  bool large = true;       // large pages may be used (an allocation can forbid it)
  uint8_t adapter = 0;     // PhysicalAdapterIndex
};

// The page tables of one address space: a radix tree that mirrors what the tables in video memory contain. It computes
// what has to be written; the caller performs it, in order. A table is created when something is mapped there, and
// initialised before an entry above points to it. It goes when its last entry does, after the entry above and whatever
// translations the GPU may have cached. At most one update is made per table and call, unless driver protections
// differ. Owned by the process; used under the lock that its address space is used under.
class PageTables {
 public:
  class Owner {
   public:
    // Fills in segment, page and memory. STATUS_GRAPHICS_NO_VIDEO_MEMORY or STATUS_NO_MEMORY when there is no room.
    virtual base::Result<> create_table(Table& table) = 0;
    // Only for tables that no operation ever named, and when the address space goes; in between Free operations say it.
    virtual void destroy_table(Table& table) = 0;

   protected:
    ~Owner() = default;
  };

  // `levels` from the leaf up. `out` gets the initialisation of the root. STATUS_INVALID_PARAMETER for levels that make
  // no address of caps.VirtualAddressBitCount bits.
  static base::Result<std::unique_ptr<PageTables>> create(const DXGK_GPUMMUCAPS& caps,
                                                          std::span<const DXGK_PAGE_TABLE_LEVEL_DESC> levels,
                                                          Owner& owner, TableOpList& out);
  // Every table goes, without operations: no context uses the address space any more. (A driver that asks for
  // ExplicitPageTableInvalidation wants everything unmapped before.)
  ~PageTables();
  PageTables(const PageTables&) = delete;
  PageTables& operator=(const PageTables&) = delete;

  // The first root entry is always invalid (documented at DXGKCB_RESERVEGPUVIRTUALADDRESSRANGE): addresses begin here.
  uint64_t first_va() const { return coverage(top()); }
  uint64_t end_va() const { return end_va_; }

  // [va, va + bytes) to the pages of `runs`, which together have as many bytes. A failure changes nothing.
  base::Result<> map(uint64_t va, uint64_t bytes, std::span<const PageRun> runs, const VaProtection& protection,
                     TableOpList& out);
  // Reads give zero, writes are dropped. STATUS_NOT_SUPPORTED without ZeroInPteSupported.
  base::Result<> map_zero(uint64_t va, uint64_t bytes, TableOpList& out);
  // Invalid. It needs memory, and so can fail, only when it cuts a large or 64 KiB page: never for a range as it was
  // mapped.
  base::Result<> unmap(uint64_t va, uint64_t bytes, TableOpList& out);
  // The owner moved a table and changed where it lies: all of it is written anew, and the entry above. For the root the
  // owner tells the contexts.
  void moved(Table& table, TableOpList& out);

  struct Translation {
    DXGK_PTE entry;
    unsigned level;
    bool pages_64k;
    uint64_t page;  // of 4 KiB, with the offset inside a larger page
  };
  // What the tables say once all operations were performed.
  std::optional<Translation> translate(uint64_t va) const;

  const Table& root() const { return *root_; }
  // Every table, those above before those below. `f` leaves the tree as it is.
  template <typename F>
  void for_each_table(F&& f) {
    visit(*root_, f);
  }
  size_t table_count() const { return table_count_; }
  // Whether counters, links and entries agree. For tests.
  bool validate() const;

 private:
  template <typename F>
  static void visit(Table& table, F& f) {
    f(table);
    for (Table* child : table.children) {
      if (child) visit(*child, f);
    }
    for (Table* child : table.children_64k) {
      if (child) visit(*child, f);
    }
  }

  class Writer;  // one call: page_table_writer.h

  PageTables(const DXGK_GPUMMUCAPS& caps, std::span<const DXGK_PAGE_TABLE_LEVEL_DESC> levels, Owner& owner);

  base::Result<> check_range(uint64_t va, uint64_t bytes) const;
  unsigned top() const { return static_cast<unsigned>(levels_.size()) - 1; }
  // What one entry of a table at `level` covers.
  uint64_t coverage(unsigned level) const { return uint64_t{1} << shifts_[level]; }
  uint64_t coverage(const Table& table) const { return table.pages_64k ? kBigPageBytes : coverage(table.level); }
  base::Result<Table*> make_table(unsigned level, bool pages_64k, uint64_t va, uint32_t count);
  void destroy(Table* table);
  bool validate_table(const Table& table, size_t& count) const;

  DXGK_GPUMMUCAPS caps_;
  std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels_;
  std::vector<unsigned> shifts_;
  uint64_t end_va_ = 0;
  Owner& owner_;
  Table* root_ = nullptr;
  size_t table_count_ = 0;
};

}  // namespace vidmm

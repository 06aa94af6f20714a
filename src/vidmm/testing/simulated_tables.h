#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "vidmm/address/page_tables.h"

namespace vidmm {

// Levels with these index bits, from the leaf up.
inline std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels_of(const std::vector<unsigned>& index_bits) {
  std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels;
  for (unsigned bits : index_bits) {
    DXGK_PAGE_TABLE_LEVEL_DESC level{};
    level.PageTableIndexBitCount = bits;
    level.PageTableSizeInBytes = 4096;
    levels.push_back(level);
  }
  return levels;
}

// Page tables as a GPU has them: memory that operations write and a walk that reads it. It complains, in `faults`,
// about a table that is used before it was initialised or after it was freed, an entry that points to no table, 64 KiB
// and 4 KiB entries that are valid for the same addresses, and whatever else no driver should ever see.
class SimulatedTables final : public PageTables::Owner {
 public:
  explicit SimulatedTables(const DXGK_GPUMMUCAPS& caps, std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels)
      : caps_(caps), levels_(std::move(levels)) {}

  struct Seen {
    DXGK_PTE entry;
    unsigned level;
    uint64_t page;  // of 4 KiB
    uint64_t driver_protection;
    friend bool operator==(const Seen& a, const Seen& b) {
      return a.entry.Zero == b.entry.Zero && (a.entry.Zero || a.page == b.page) && a.entry.Segment == b.entry.Segment &&
             a.entry.ReadOnly == b.entry.ReadOnly && a.entry.NoExecute == b.entry.NoExecute &&
             a.entry.CacheCoherent == b.entry.CacheCoherent && a.driver_protection == b.driver_protection;
    }
  };

  base::Result<> create_table(Table& table) override;
  void destroy_table(Table& table) override;
  // Moves a table elsewhere; the old memory holds garbage from then on.
  void move(Table& table);

  void perform(const TableOpList& list, const TableOp& op);
  // What the GPU finds at `va`, with nothing cached.
  std::optional<Seen> walk(uint64_t va);

  void set_root(const Table& table) { root_ = table.page; }
  void set_room(size_t tables) { room_ = tables; }
  size_t table_count() const { return memory_.size(); }
  bool suspended() const { return suspended_; }
  const std::vector<const char*>& faults() const { return faults_; }

 private:
  struct Memory {
    unsigned level;
    bool pages_64k;
    bool initialised = false;
    std::vector<DXGK_PTE> entries;
    std::vector<DXGK_PTE> entries_64k;
    std::vector<uint64_t> driver_protections;
  };

  void expect(bool good, const char* otherwise) {
    if (!good) faults_.push_back(otherwise);
  }
  void write(const TableOpList& list, const TableOp& op);
  void check_link(const DXGK_PTE& entry, unsigned level, bool second);
  void free(Table& table);
  Memory* at(uint64_t page);
  unsigned shift(unsigned level) const;

  DXGK_GPUMMUCAPS caps_;
  std::vector<DXGK_PAGE_TABLE_LEVEL_DESC> levels_;
  std::map<uint64_t, Memory> memory_;  // by page
  uint64_t root_ = 0;
  uint64_t next_page_ = 0x1000;
  size_t room_ = SIZE_MAX;
  bool suspended_ = false;
  std::vector<const char*> faults_;
};

}  // namespace vidmm

#include "vidmm/testing/simulated_tables.h"

namespace vidmm {

base::Result<> SimulatedTables::create_table(Table& table) {
  if (memory_.size() >= room_) return base::Failure(STATUS_GRAPHICS_NO_VIDEO_MEMORY, "no room for a page table");
  table.segment = 1 + table.level % 2;
  table.page = next_page_++;
  bool dual = table.level == 1 && caps_.DualPteSupported;
  Memory memory{table.level,
                table.pages_64k,
                false,
                std::vector<DXGK_PTE>(table.count),
                std::vector<DXGK_PTE>(dual ? table.count : 0),
                std::vector<uint64_t>(table.count)};
  for (DXGK_PTE& garbage : memory.entries) garbage = {{.Flags = 1}, {.PageAddress = 0xdead}};
  memory_.emplace(table.page, std::move(memory));
  return {};
}

void SimulatedTables::destroy_table(Table& table) { expect(memory_.erase(table.page) == 1, "a table destroyed twice"); }

void SimulatedTables::move(Table& table) {
  Memory old = memory_.at(table.page);
  memory_.erase(table.page);
  table.page = next_page_++;
  if (old.level + 1 == levels_.size()) root_ = table.page;
  old.initialised = false;
  for (DXGK_PTE& garbage : old.entries) garbage = {{.Flags = 1}, {.PageAddress = 0xdead}};
  memory_.emplace(table.page, std::move(old));
}

SimulatedTables::Memory* SimulatedTables::at(uint64_t page) {
  auto found = memory_.find(page);
  return found == memory_.end() ? nullptr : &found->second;
}

unsigned SimulatedTables::shift(unsigned level) const {
  unsigned bits = 12;
  for (unsigned i = 0; i < level; ++i) bits += levels_[i].PageTableIndexBitCount;
  return bits;
}

void SimulatedTables::perform(const TableOpList& list, const TableOp& op) {
  switch (op.kind) {
    case TableOp::Kind::Initialise:
    case TableOp::Kind::Update:
      return write(list, op);
    case TableOp::Kind::SetRoot:
      return set_root(*op.table);
    case TableOp::Kind::Suspend:
    case TableOp::Kind::Resume:
      expect(suspended_ == (op.kind == TableOp::Kind::Resume), "Suspend and Resume do not alternate");
      suspended_ = !suspended_;
      return;
    case TableOp::Kind::Flush:
      return expect(op.va < op.end, "an empty Flush");
    case TableOp::Kind::Free:
      return free(*op.table);
  }
}

void SimulatedTables::write(const TableOpList& list, const TableOp& op) {
  Memory* memory = at(op.table->page);
  if (!memory) return expect(false, "a write to a table that was freed");
  bool first = op.kind == TableOp::Kind::Initialise;
  expect(memory->initialised != first, first ? "a table initialised twice" : "a write before the initialisation");
  expect(op.count > 0 && op.start + op.count <= memory->entries.size(), "entries behind the end of the table");
  expect(!first || (op.repeat && op.count == memory->entries.size()), "an initialisation of a part");
  expect(memory->level == 0 || op.driver_protection == 0, "a driver protection above the leaf");
  unsigned entry_shift = memory->pages_64k ? 16 : shift(memory->level);
  expect(op.va >> entry_shift << entry_shift == op.va, "FirstPteVirtualAddress is not where an entry begins");
  expect((op.va >> entry_shift) % memory->entries.size() == op.start, "FirstPteVirtualAddress is another entry's");
  memory->initialised = true;
  for (uint32_t i = 0; i < op.count; ++i) {
    const DXGK_PTE& entry = list.entries(op)[op.repeat ? 0 : i];
    check_link(entry, memory->level, false);
    memory->entries[op.start + i] = entry;
    memory->driver_protections[op.start + i] = op.driver_protection;
    if (memory->entries_64k.empty()) continue;
    const DXGK_PTE& second = list.entries_64k(op)[op.repeat ? 0 : i];
    check_link(second, memory->level, true);
    memory->entries_64k[op.start + i] = second;
  }
}

void SimulatedTables::check_link(const DXGK_PTE& entry, unsigned level, bool second) {
  if (!entry.Valid) return expect(entry.Flags == 0 && entry.PageAddress == 0, "an invalid entry that says something");
  expect(!entry.Zero || caps_.ZeroInPteSupported, "Zero without ZeroInPteSupported");
  expect(!entry.ReadOnly || caps_.ReadOnlyMemorySupported, "ReadOnly without ReadOnlyMemorySupported");
  expect(!entry.NoExecute || caps_.NoExecuteMemorySupported, "NoExecute without NoExecuteMemorySupported");
  expect(!entry.LargePage || (caps_.LargePageSupported && level > 0), "LargePage where there is none");
  if (level == 0 || entry.LargePage || entry.Zero) return;
  const Memory* below = at(entry.PageTableAddress);
  if (!below) return expect(false, "an entry that points to no table");
  expect(below->initialised, "an entry that points to a table not initialised");
  expect(below->level + 1 == level, "an entry that points to another level");
  expect(below->pages_64k == (second || entry.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB),
         "an entry with another page size than its table");
}

void SimulatedTables::free(Table& table) {
  uint64_t page = table.page;
  const Memory* memory = at(page);
  if (!memory) return expect(false, "a table freed twice");
  if (caps_.ExplicitPageTableInvalidation)
    for (const DXGK_PTE& entry : memory->entries) expect(!entry.Valid, "a table freed with valid entries");
  for (auto& [other_page, other] : memory_) {
    auto points_here = [&](const DXGK_PTE& entry) {
      return entry.Valid && !entry.LargePage && !entry.Zero && entry.PageTableAddress == page;
    };
    if (other.level == 0 || other_page == page || !other.initialised) continue;
    for (const DXGK_PTE& entry : other.entries) expect(!points_here(entry), "a table freed that an entry points to");
    for (const DXGK_PTE& entry : other.entries_64k)
      expect(!points_here(entry), "a table freed that an entry points to");
  }
  memory_.erase(page);
}

std::optional<SimulatedTables::Seen> SimulatedTables::walk(uint64_t va) {
  uint64_t page = root_;
  std::optional<Seen> found;
  for (unsigned level = static_cast<unsigned>(levels_.size()); level-- > 0;) {
    Memory* memory = at(page);
    if (!memory) {
      expect(false, "a walk into a table that was freed");
      return std::nullopt;
    }
    auto look = [&](Memory& table, unsigned entry_shift) -> std::optional<Seen> {
      uint64_t index = (va >> entry_shift) % table.entries.size();
      const DXGK_PTE& entry = table.entries[index];
      if (!entry.Valid) return std::nullopt;
      uint64_t in_page = (va & ((uint64_t{1} << entry_shift) - 1)) / kPageBytes;
      return Seen{entry, level, entry.PageAddress + in_page, table.driver_protections[index]};
    };
    if (level + 1 == levels_.size() && va >> shift(level) >= memory->entries.size()) return std::nullopt;
    uint64_t index = (va >> shift(level)) % memory->entries.size();
    if (level == 0) return found ? found : look(*memory, memory->pages_64k ? 16 : 12);
    const DXGK_PTE& entry = memory->entries[index];
    if (level == 1 && !memory->entries_64k.empty() && memory->entries_64k[index].Valid) {
      level = 0;
      Memory* leaf_64k = at(memory->entries_64k[index].PageTableAddress);
      Memory* leaf = entry.Valid ? at(entry.PageTableAddress) : nullptr;
      expect(leaf_64k && (!entry.Valid || leaf), "a walk into a table that was freed");
      found = leaf_64k ? look(*leaf_64k, 16) : std::nullopt;
      std::optional<Seen> small = leaf ? look(*leaf, 12) : std::nullopt;
      expect(!(found && small), "a 64 KiB entry and a 4 KiB entry valid for the same address");
      return found ? found : small;
    }
    if (!entry.Valid) return std::nullopt;
    if (entry.LargePage || entry.Zero) return look(*memory, shift(level));
    page = entry.PageTableAddress;
  }
  return std::nullopt;
}

}  // namespace vidmm

#include "dxgk/memory/address_space.h"

#include "base/align.h"
#include "base/raw_enum.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "nt/boundary/own_scope.h"
#include "nt/machine/machine.h"
#include "nt/mm/physical_memory.h"

namespace dxgk {
namespace {

// Clients reserve from 2 MiB on (observed); nothing is given out below this address (ours).
constexpr uint64_t kFirstAddress = 64 * 1024;

}  // namespace

// In video memory a table is a block that never moves; in the machine's memory it is a part of that.
struct AddressSpace::TableMemory {
  TableMemory(VideoMemory& its_memory) : memory(its_memory) {}
  ~TableMemory() {
    if (ram) memory.adapter().machine().physical().ram().free(*ram);
  }
  TableMemory(const TableMemory&) = delete;
  TableMemory& operator=(const TableMemory&) = delete;

  VideoMemory& memory;
  vidmm::Backing backing;  // never used: what a table held is written anew
  std::optional<VideoBlock> block;
  nt::RamBlock* ram = nullptr;
  D3DGPU_VIRTUAL_ADDRESS paging_address = 0;  // where the paging process writes it, if it does
  uint64_t paging_bytes = 0;
};

AddressSpace::AddressSpace(VideoMemory& memory, Kind kind, HANDLE driver_process, uint64_t end)
    : vidmm::VaSpace(kFirstAddress, end), memory_(memory), kind_(kind), driver_process_(driver_process) {
  memory_.assert_locked();
  memory_.spaces_.push_back(this);
}

AddressSpace::~AddressSpace() {
  memory_.assert_locked();
  memory_.spaces_.erase(this);
  clear();
}

base::Result<std::unique_ptr<AddressSpace>> AddressSpace::create(VideoMemory& memory, Kind kind, HANDLE driver_process,
                                                                 PagingWork& work) {
  const AdapterCaps& caps = memory.adapter().caps();
  std::unique_ptr<AddressSpace> space(
      new AddressSpace(memory, kind, driver_process, uint64_t{1} << caps.mmu.VirtualAddressBitCount));
  TRY(space->plan(work, [&](vidmm::TableOpList& out) -> base::Result<> {
    space->tables_ = TRY(vidmm::PageTables::create(caps.mmu, caps.page_table_levels, *space, out));
    return {};
  }));
  return space;
}

template <typename F>
base::Result<> AddressSpace::plan(PagingWork& work, F&& change) {
  auto ops = std::make_unique<vidmm::TableOpList>();
  vidmm::Plan evictions;
  evictions_ = &evictions;
  planning_ = &work;
  base::Result<> result = change(*ops);
  evictions_ = nullptr;
  planning_ = nullptr;
  memory_.assert_locked();
  // Blocks that are evicted for a new table may be mapped here themselves, so they follow when the change is complete.
  base::Result<> left = memory_.add(evictions, work);
  if (ops->empty()) return result.ok() ? left : result;
  // The place of a freed table in video memory may be used by the next plan.
  PagingWork after;
  for (const vidmm::TableOp& op : ops->ops()) {
    if (op.kind == vidmm::TableOp::Kind::Free) give_up(*static_cast<TableMemory*>(op.table->memory), after);
  }
  work.steps.emplace_back(TableChange{this, std::move(ops)});
  for (PagingWork::Step& step : after.steps) work.steps.push_back(std::move(step));
  return result.ok() ? left : result;
}

// --- Tables ---

base::Result<> AddressSpace::create_table(vidmm::Table& table) {
  memory_.assert_locked();
  Adapter& adapter = memory_.adapter();
  const AdapterCaps& caps = adapter.caps();
  const DXGK_PAGE_TABLE_LEVEL_DESC& level = caps.page_table_levels[table.level];
  // The CPU writes the paging process's tables, and cannot reach memory segments here: they lie in the machine's memory
  // whatever PagingProcessPageTableSegmentId says (ours).
  uint32_t segment = kind_ == Kind::Paging ? 0 : level.PageTableSegmentId;
  uint64_t bytes = table.pages_64k ? caps.mmu.LeafPageTableSizeFor64KPagesInBytes : level.PageTableSizeInBytes;
  if (bytes == 0) bytes = table.count * sizeof(uint64_t);  // ours, where the driver does not say it (caps_check.h)
  bytes = base::round_up(bytes, vidmm::kPageBytes);
  auto table_memory = std::make_unique<TableMemory>(memory_);
  const Segment* described = caps.segment(segment);
  if (described && !described->aperture) {
    vidmm::BlockTraits traits;
    traits.bytes = bytes;
    traits.alignment = level.PageTableAlignmentInBytes;
    traits.supported = 1u << (segment - 1);
    traits.preferred[0] = {segment, true};  // from the top down (observed)
    traits.contiguous = true;
    traits.priority = 0xc8000000;
    VideoBlock& block = table_memory->block.emplace(traits, 0, nullptr, table_memory->backing);
    block.page_table = true;
    memory_.manager().add(block.block);
    vidmm::Plan room;
    if (memory_.manager().pin(block.block, room) == vidmm::Answer::OutOfMemory) {
      memory_.manager().remove(block.block, room);
      return base::Failure(STATUS_GRAPHICS_NO_VIDEO_MEMORY, "no video memory for a page table");
    }
    for (const vidmm::PagingOp& op : room) {
      if (op.block != &block.block) evictions_->add(op.kind, *op.block, op.from, op.to);
    }
    table.segment = segment;
    table.page = block.block.place().extents.begin()->offset / vidmm::kPageBytes;
  } else {
    nt::OwnScope own(adapter.machine());
    nt::PhysicalMemory& physical = adapter.machine().physical();
    table_memory->ram = physical.ram().allocate(
        {.bytes = bytes, .alignment = std::max<uint64_t>(level.PageTableAlignmentInBytes, vidmm::kPageBytes)},
        nt::ResourceKind::ContiguousMemory);
    if (!table_memory->ram) return base::Failure(STATUS_NO_MEMORY, "no memory for a page table");
    table.segment = 0;
    table.page = *physical.physical(table_memory->ram->block.address) / vidmm::kPageBytes;
  }
  if (kind_ == Kind::Client && base::raw(caps.mmu.PageTableUpdateMode) == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) {
    base::Result<> shown = show_to_paging_process(table, *table_memory, bytes);
    if (!shown.ok()) {
      give_up(*table_memory, *planning_);
      return shown;
    }
  }
  table.memory = table_memory.release();
  return {};
}

void AddressSpace::destroy_table(vidmm::Table& table) {
  auto* table_memory = static_cast<TableMemory*>(table.memory);
  memory_.assert_locked();
  PagingWork after;
  give_up(*table_memory, after);
  if (!after.steps.empty()) memory_.post(std::move(after));
  delete table_memory;
}

// Releases its place in video memory, and the paging process's address of it.
void AddressSpace::give_up(TableMemory& table_memory, PagingWork& after) {
  memory_.assert_locked();
  if (table_memory.block) {
    vidmm::Plan nothing;
    memory_.manager().unpin(table_memory.block->block);
    memory_.manager().remove(table_memory.block->block, nothing);
    table_memory.block.reset();
  }
  if (table_memory.paging_address) {
    vidmm::VaOp unmap{.kind = vidmm::VaOp::Kind::Unmap,
                      .space = &memory_.paging_space(),
                      .va = table_memory.paging_address,
                      .bytes = table_memory.paging_bytes,
                      .protection = {.no_access = true}};
    static_cast<void>(memory_.paging_space().perform({&unmap, 1}, after));
    memory_.paging_space().release_own(table_memory.paging_address);
  }
}

// A driver that writes tables by GPU virtual address writes them at addresses of the paging process.
base::Result<> AddressSpace::show_to_paging_process(const vidmm::Table& table, TableMemory& table_memory,
                                                    uint64_t bytes) {
  table_memory.paging_bytes = base::round_up(bytes, vidmm::kPageBytes);
  table_memory.paging_address = TRY(memory_.paging_space().reserve_own(table_memory.paging_bytes));
  return aim_paging_process(table, table_memory);
}

base::Result<> AddressSpace::aim_paging_process(const vidmm::Table& table, const TableMemory& table_memory) {
  vidmm::PageRun run{.segment = table.segment,
                     .page = table.page,
                     .count = table_memory.paging_bytes / vidmm::kPageBytes,
                     .large = false};
  return memory_.paging_space().map_runs(table_memory.paging_address, table_memory.paging_bytes, {&run, 1},
                                         {.write = true}, *planning_);
}

void AddressSpace::dispose(const vidmm::Table& table) { delete static_cast<TableMemory*>(table.memory); }

void* AddressSpace::cpu_address_of(const vidmm::Table& table) {
  const auto& table_memory = *static_cast<const TableMemory*>(table.memory);
  return table_memory.ram ? reinterpret_cast<void*>(table_memory.ram->block.address) : nullptr;
}

D3DGPU_VIRTUAL_ADDRESS AddressSpace::paging_address_of(const vidmm::Table& table) {
  return static_cast<const TableMemory*>(table.memory)->paging_address;
}

// --- Changes ---

base::Result<> AddressSpace::lead(uint64_t va, uint64_t bytes, VideoBlock& block, const vidmm::Place& place,
                                  uint64_t offset, const vidmm::VaProtection& protection, vidmm::TableOpList& out) {
  memory_.assert_locked();
  // A block that no segment takes is always in the machine's memory.
  if (place.none() && block.block.traits().supported != 0) return tables_->unmap(va, bytes, out);
  runs_.clear();
  TRY(memory_.runs_of(block, place, offset, bytes, runs_));
  return tables_->map(va, bytes, runs_, protection, out);
}

base::Result<uint64_t> AddressSpace::reserve_own(uint64_t bytes, uint64_t alignment) {
  vidmm::VaOpList none;
  bytes = (bytes + vidmm::kBigPageBytes - 1) / vidmm::kBigPageBytes * vidmm::kBigPageBytes;
  return reserve(
      {.minimum = lowest(), .bytes = bytes, .alignment = alignment, .held_by_driver = true, .mappable = false}, none);
}

base::Result<> AddressSpace::perform(std::span<const vidmm::VaOp> ops, PagingWork& work) {
  return plan(work, [&](vidmm::TableOpList& out) -> base::Result<> {
    for (const vidmm::VaOp& op : ops) {
      if (op.kind == vidmm::VaOp::Kind::Map) {
        auto& block = static_cast<VideoBlock&>(*op.what);
        TRY(lead(op.va, op.bytes, block, block.block.place(), op.offset, op.protection, out));
      } else if (op.protection.zero && memory_.adapter().caps().mmu.ZeroInPteSupported) {
        TRY(tables_->map_zero(op.va, op.bytes, out));
      } else {
        TRY(tables_->unmap(op.va, op.bytes, out));
      }
    }
    return {};
  });
}

base::Result<> AddressSpace::rebind(const vidmm::Mapping& mapping, const vidmm::Place& place, PagingWork& work) {
  return plan(work, [&](vidmm::TableOpList& out) {
    return lead(mapping.va, mapping.bytes, static_cast<VideoBlock&>(*mapping.what), place, mapping.offset,
                mapping.protection, out);
  });
}

base::Result<> AddressSpace::write_again(PagingWork& work) {
  std::vector<vidmm::Table*> tables;
  tables_->for_each_table([&](vidmm::Table& table) { tables.push_back(&table); });
  root_version.fetch_add(1, std::memory_order_release);
  return plan(work, [&](vidmm::TableOpList& out) -> base::Result<> {
    memory_.assert_locked();
    for (vidmm::Table* table : tables) {
      auto& table_memory = *static_cast<TableMemory*>(table->memory);
      if (table_memory.block) {
        table->page = table_memory.block->block.place().extents.begin()->offset / vidmm::kPageBytes;
      }
      if (table_memory.paging_address) TRY(aim_paging_process(*table, table_memory));
      tables_->moved(*table, out);
    }
    return {};
  });
}

base::Result<> AddressSpace::map_runs(uint64_t va, uint64_t bytes, std::span<const vidmm::PageRun> runs,
                                      const vidmm::VaProtection& protection, PagingWork& work) {
  return plan(work, [&](vidmm::TableOpList& out) { return tables_->map(va, bytes, runs, protection, out); });
}

}  // namespace dxgk

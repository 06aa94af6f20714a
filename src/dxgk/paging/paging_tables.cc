// How the paging thread changes page tables.
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/paging/paging_thread.h"
#include "dxgk/work/gpu.h"

namespace dxgk {

base::Result<> PagingThread::step(const TableChange& change) {
  base::Result<> applied;
  for (const vidmm::TableOp& op : change.ops->ops()) {
    ParkingLock lock(adapter_.paging_mutex());
    applied = apply(change, op);
    if (!applied.ok()) break;
  }
  if (paused_) resume_clients();  // the change stopped between Suspend and Resume
  if (applied.ok()) root_due_ |= change.space->kind() == AddressSpace::Kind::Paging;
  return applied;
}

// Packets submitted from here on see the changed tables; packets that run now end first. Without the mutex, as the
// scheduler's thread needs it.
void PagingThread::suspend_clients() {
  gpu_.pause();
  paused_ = true;
  gpu_.wait_for_hardware();
}

// Called when the GPU has written the tables: a client may run on another node than the one that pages.
void PagingThread::resume_clients() {
  wait_for_packets();
  paused_ = false;
  gpu_.unpause();
}

// With the paging mutex held.
base::Result<> PagingThread::apply(const TableChange& change, const vidmm::TableOp& op) {
  using Kind = vidmm::TableOp::Kind;
  switch (op.kind) {
    case Kind::Initialise:
    case Kind::Update:
      return update(change, op);
    case Kind::Flush:
      return flush_tlb(change, op);
    case Kind::SetRoot:
      gpu_.root_changed(*change.space);
      return {};
    case Kind::Suspend:
    case Kind::Resume:
      TRY(builder_->flush());
      adapter_.paging_mutex().unlock();
      op.kind == Kind::Suspend ? suspend_clients() : resume_clients();
      adapter_.paging_mutex().lock();
      return {};
    case Kind::Free:
      return {};  // when everything has been carried out
  }
  CHECK(false);
}

// The paging process's tables are always written by the CPU, at once (documented).
base::Result<> PagingThread::update(const TableChange& change, const vidmm::TableOp& op) {
  bool paging_process = change.space->kind() == AddressSpace::Kind::Paging;
  paging::UpdatePageTable update;
  DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& table = update.table;
  table.UpdateMode = paging_process ? DXGK_PAGETABLEUPDATE_CPU_VIRTUAL : adapter_.caps().mmu.PageTableUpdateMode;
  table.PageTableLevel = op.table->level;
  switch (table.UpdateMode) {
    case DXGK_PAGETABLEUPDATE_CPU_VIRTUAL:
      table.PageTableAddress.CpuVirtual = AddressSpace::cpu_address_of(*op.table);
      break;
    case DXGK_PAGETABLEUPDATE_GPU_VIRTUAL:
      table.PageTableAddress.GpuVirtual = AddressSpace::paging_address_of(*op.table);
      break;
    case DXGK_PAGETABLEUPDATE_GPU_PHYSICAL:
      table.PageTableAddress.GpuPhysical = AddressSpace::address_of(*op.table);
      break;
  }
  table.StartIndex = op.start;
  table.Flags.Repeat = op.repeat;
  table.Flags.InitialUpdate = op.kind == vidmm::TableOp::Kind::Initialise;
  table.Flags.Use64KBPages = op.table->pages_64k;
  table.DriverProtection = op.driver_protection;
  table.hProcess = change.space->driver_process();
  table.FirstPteVirtualAddress = op.va;
  update.entries = change.ops->entries(op);
  update.entries_64k = change.ops->entries_64k(op);
  update.count = op.count;
  return table.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL ? builder_->now(update) : builder_->add(update);
}

base::Result<> PagingThread::flush_tlb(const TableChange& change, const vidmm::TableOp& op) {
  if (buffers_.empty()) return {};
  paging::FlushTlb flush{};
  flush.RootPageTableAddress = change.space->root_address();
  flush.hProcess = change.space->driver_process();
  flush.StartVirtualAddress = op.va;
  flush.EndVirtualAddress = op.end;
  return builder_->add(flush);
}

// Called when its tables have been written for the first time (observed).
void PagingThread::tell_paging_root() {
  if (std::exchange(root_told_, true) || !adapter_.system_context() || !adapter_.talks_to_driver()) return;
  DXGKARG_SETROOTPAGETABLE args{};
  args.hContext = adapter_.system_context();
  args.Address = memory_.paging_space().root_address();
  args.NumEntries = memory_.paging_space().root().count;
  ParkingLock lock(adapter_.paging_mutex());
  adapter_.miniport().call(Ddi::SetRootPageTable, &DRIVER_INITIALIZATION_DATA::DxgkDdiSetRootPageTable,
                           &adapter_.scope(), adapter_.context(), &args);
}

}  // namespace dxgk

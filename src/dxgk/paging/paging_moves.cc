// How the paging thread moves bytes. A driver with GPU virtual addresses copies between two addresses of the paging
// process, which are mapped to the pages first; a driver without gets segment addresses and MDLs.
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context_allocation.h"
#include "dxgk/paging/paging_thread.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

using Kind = vidmm::PagingOp::Kind;

constexpr uint64_t kPage = vidmm::kPageBytes;
// Sizes of one window (ours). Each half lies in page tables of its own that are made once and stay.
constexpr uint64_t kWindowBytes = 1 << 20;
constexpr uint64_t kWindowStride = 2 << 20;
constexpr uint32_t kWindows = 8;

uint64_t address_of(const Segment& segment, const vidmm::Place& place) {
  return segment.base + (place.extents.empty() ? 0 : place.extents.begin()->offset);
}

// One side of a copy that names its place by segment or by MDL.
WholeTransfer::Side side_of(const AdapterCaps& caps, const VideoBlock& block, const vidmm::Place& place) {
  WholeTransfer::Side side;
  const Segment* segment = caps.segment(place.segment);
  if (!segment || segment->aperture) {
    side.mdls = block.pages.mdls();
    side.mdl_pages = block.pages.mdl_pages();
    return side;
  }
  side.segment = segment->id;
  for (const vidmm::Extent& extent : place.extents)
    side.extents.push_back({segment->base + extent.offset, extent.bytes});
  return side;
}

}  // namespace

base::Result<> PagingThread::step(const vidmm::PagingOp& op) {
  if (op.kind == Kind::WaitIdle) {
    {
      ParkingLock lock(adapter_.paging_mutex());
      TRY(builder_->flush());
    }
    gpu_.wait_for_hardware();
    return {};
  }
  ParkingLock lock(adapter_.paging_mutex());
  switch (op.kind) {
    case Kind::NotifyEvict:
      return notify(op, false);
    case Kind::NotifyResident:
      return notify(op, true);
    case Kind::Fill:
      return fill(op);
    case Kind::TransferIn:
    case Kind::TransferOut:
    case Kind::Move:
      return copy(op);
    case Kind::Discard: {
      if (op.from.extents.size() != 1) return {};  // a block in several pieces has no address to name
      const Segment& segment = *adapter_.caps().segment(op.from.segment);
      return builder_->add(
          paging::Discard{VideoBlock::of(*op.block).driver_handle, segment.id, address_of(segment, op.from)});
    }
    case Kind::Lose:
      return builder_->add(loss_of(op));
    case Kind::MapAperture:
      return map_aperture(op);
    case Kind::UnmapAperture:
      return unmap_aperture(op);
    case Kind::InitContext:
      return init_context(op);
    case Kind::Decommit:
      return decommit(op);
    case Kind::WaitIdle:
    case Kind::Rebind:
      break;
  }
  return {};
}

base::Result<> PagingThread::notify(const vidmm::PagingOp& op, bool resident) {
  paging::NotifyResidency notice{};
  notice.hAllocation = VideoBlock::of(*op.block).driver_handle;
  notice.Resident = resident;
  if (resident) {
    const Segment* segment = adapter_.caps().segment(op.to.segment);
    notice.PhysicalAddress.SegmentId = op.to.segment;
    if (segment) notice.PhysicalAddress.SegmentOffset = address_of(*segment, op.to);
  }
  return builder_->add(notice);
}

// The pages go back to the system; what is read there next is zero. Its addresses stay the client's.
base::Result<> PagingThread::decommit(const vidmm::PagingOp& op) {
  VideoBlock::of(*op.block).backing.decommit();
  return {};
}

paging::Transfer PagingThread::loss_of(const vidmm::PagingOp& op) const {
  const Segment& segment = *adapter_.caps().segment(op.from.segment);
  VideoBlock& block = VideoBlock::of(*op.block);
  paging::Transfer notice;
  notice.allocation = block.driver_handle;
  notice.source = {segment.id, address_of(segment, op.from), nullptr};
  notice.destination = {0, 0, block.pages.mdls().front()};
  notice.flags.TransferStart = 1;
  notice.flags.TransferEnd = 1;
  return notice;
}

uint64_t PagingThread::most_at_once() const {
  return std::min(kWindowBytes, transfer_limit_.load(std::memory_order_relaxed));
}

base::Result<> PagingThread::fill(const vidmm::PagingOp& op) {
  VideoBlock& block = VideoBlock::of(*op.block);
  const Segment& segment = *adapter_.caps().segment(op.to.segment);
  if (!adapter_.caps().gpu_mmu) {
    for (const vidmm::Extent& extent : op.to.extents) {
      TRY(builder_->add(paging::Fill{block.driver_handle, extent.bytes, 0, segment.id, segment.base + extent.offset}));
    }
    return {};
  }
  const uint64_t most = most_at_once();
  for (uint64_t offset = 0; offset < block.block.bytes(); offset += most) {
    uint64_t bytes = std::min(most, block.block.bytes() - offset);
    Window window = TRY(next_window());
    TRY(aim(window.destination, block, op.to, offset, bytes, true));
    paging::FillVirtual fill{};
    fill.hAllocation = block.driver_handle;
    fill.AllocationOffsetInBytes = offset;
    fill.FillSizeInBytes = bytes;
    fill.DestinationVirtualAddress = window.destination;
    TRY(builder_->add(fill));
  }
  return {};
}

base::Result<> PagingThread::copy(const vidmm::PagingOp& op) {
  return memory_.seen_by_cpu(VideoBlock::of(*op.block)) ? copy_seen(op) : copy_unseen(op);
}

base::Result<> PagingThread::copy_unseen(const vidmm::PagingOp& op) {
  return adapter_.caps().gpu_mmu ? copy_virtually(op) : copy_physically(op);
}

base::Result<> PagingThread::copy_physically(const vidmm::PagingOp& op) {
  VideoBlock& block = VideoBlock::of(*op.block);
  WholeTransfer whole;
  whole.allocation = block.driver_handle;
  whole.bytes = block.block.bytes();
  whole.source = side_of(adapter_.caps(), block, op.from);
  whole.destination = side_of(adapter_.caps(), block, op.to);
  for (const paging::Transfer& part : cut(whole, most_at_once())) TRY(builder_->add(part));
  return {};
}

base::Result<> PagingThread::copy_virtually(const vidmm::PagingOp& op) {
  VideoBlock& block = VideoBlock::of(*op.block);
  auto in_memory = [&](const vidmm::Place& place) {
    const Segment* segment = adapter_.caps().segment(place.segment);
    return segment && !segment->aperture;
  };
  const uint64_t most = most_at_once();
  for (uint64_t offset = 0; offset < block.block.bytes(); offset += most) {
    uint64_t bytes = std::min(most, block.block.bytes() - offset);
    Window window = TRY(next_window());
    TRY(aim(window.source, block, op.from, offset, bytes, false));
    TRY(aim(window.destination, block, op.to, offset, bytes, true));
    paging::TransferVirtual transfer{};
    transfer.hAllocation = block.driver_handle;
    transfer.AllocationOffsetInBytes = offset;
    transfer.TransferSizeInBytes = bytes;
    transfer.SourceVirtualAddress = window.source;
    transfer.DestinationVirtualAddress = window.destination;
    transfer.TransferDirection = !in_memory(op.from) ? DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL
                                 : in_memory(op.to)  ? DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL
                                                     : DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM;
    TRY(builder_->add(transfer));
  }
  return {};
}

// --- The aperture ---

base::Result<> PagingThread::map_aperture(const vidmm::PagingOp& op) {
  VideoBlock& block = VideoBlock::of(*op.block);
  const uint64_t mdl_pages = block.pages.mdl_pages();
  uint64_t page = 0;
  for (const vidmm::Extent& extent : op.to.extents) {
    const uint64_t end = std::min(page + extent.bytes / kPage, block.pages.count());
    for (uint64_t at = extent.offset / kPage; page < end;) {
      paging::MapAperture map;
      map.allocation = block.driver_handle;
      map.segment = op.to.segment;
      map.first_page = at;
      map.pages = std::min(end - page, mdl_pages - page % mdl_pages);
      map.mdl = block.pages.mdls()[page / mdl_pages];
      map.mdl_page = static_cast<uint32_t>(page % mdl_pages);
      map.cache_coherent = adapter_.caps().segment(op.to.segment)->cache_coherent;
      TRY(builder_->add(map));
      at += map.pages;
      page += map.pages;
    }
  }
  return {};
}

base::Result<> PagingThread::unmap_aperture(const vidmm::PagingOp& op) {
  for (const paging::UnmapAperture& unmap : unmaps_of(op)) TRY(builder_->add(unmap));
  return {};
}

std::vector<paging::UnmapAperture> PagingThread::unmaps_of(const vidmm::PagingOp& op) const {
  std::vector<paging::UnmapAperture> unmaps;
  VideoBlock& block = VideoBlock::of(*op.block);
  uint64_t left = block.pages.count();
  for (const vidmm::Extent& extent : op.from.extents) {
    paging::UnmapAperture unmap;
    unmap.allocation = block.driver_handle;
    unmap.segment = op.from.segment;
    unmap.first_page = extent.offset / kPage;
    unmap.pages = std::min(extent.bytes / kPage, left);
    unmap.dummy_page = dummy_page_;
    unmaps.push_back(unmap);
    left -= unmap.pages;
  }
  return unmaps;
}

// --- Windows ---

// One page at the end of each table's range stays mapped: a table is freed with its last entry, and a new one would
// have to be planned.
base::Result<> PagingThread::make_windows(PagingWork& work) {
  AddressSpace& space = memory_.paging_space();
  uint64_t bytes = uint64_t{kWindows} * 2 * kWindowStride;
  windows_at_ = TRY(space.reserve_own(bytes, kWindowStride));
  vidmm::PageRun dummy{.segment = 0, .page = dummy_page_ / kPage, .count = 1, .large = false};
  for (uint64_t at = windows_at_; at < windows_at_ + bytes; at += kWindowStride) {
    TRY(space.map_runs(at + kWindowStride - kPage, kPage, {&dummy, 1}, {}, work));
  }
  return {};
}

base::Result<PagingThread::Window> PagingThread::next_window() {
  if (next_window_ == kWindows) {
    TRY(builder_->flush());
    adapter_.paging_mutex().unlock();
    wait_for_packets();
    adapter_.paging_mutex().lock();
    next_window_ = 0;
  }
  uint64_t at = windows_at_ + uint64_t{next_window_++} * 2 * kWindowStride;
  return Window{at, at + kWindowStride};
}

base::Result<> PagingThread::aim(uint64_t va, VideoBlock& block, const vidmm::Place& place, uint64_t offset,
                                 uint64_t bytes, bool write) {
  PagingWork work;
  {
    base::Guard guard(memory_.lock());
    std::vector<vidmm::PageRun> runs;
    TRY(memory_.runs_of(block, place, offset, bytes, runs));
    for (vidmm::PageRun& run : runs) run.large = false;
    TRY(memory_.paging_space().map_runs(va, bytes, runs, {.write = write}, work));
  }
  for (PagingWork::Step& each : work.steps) {
    const auto& change = std::get<TableChange>(each);
    for (const vidmm::TableOp& op : change.ops->ops()) TRY(apply(change, op));
  }
  return {};
}

// --- Context allocations ---

// At an address of the paging process (documented): the operation does not run with the context's own page tables.
base::Result<> PagingThread::step(const ContextUpdate& context, std::span<const uint8_t> data) {
  if (!adapter_.caps().gpu_mmu) return base::Failure(STATUS_NOT_SUPPORTED, "there are no GPU virtual addresses");
  ParkingLock lock(adapter_.paging_mutex());
  Window window = TRY(next_window());
  uint64_t bytes = std::min(kWindowBytes, context.block->block.bytes());
  TRY(aim(window.destination, *context.block, context.place, 0, bytes, true));
  return builder_->add(paging::UpdateContextAllocation{window.destination, bytes, data});
}

base::Result<> PagingThread::init_context(const vidmm::PagingOp& op) {
  VideoBlock& block = VideoBlock::of(*op.block);
  if (!block.driver_handle) return {};  // it has been destroyed already
  const Segment* segment = adapter_.caps().segment(op.to.segment);
  paging::InitContextResource init;
  init.allocation = block.driver_handle;
  init.destination.segment = op.to.segment;
  if (segment) {
    init.destination.address = address_of(*segment, op.to);
  } else {
    init.destination.mdl = block.pages.mdls().front();
  }
  if (block.context_owner) {
    init.gpu_address = block.context_owner->gpu_address();
    init.cpu_address = block.context_owner->cpu_address_in(segment);
  }
  return builder_->add(init);
}

}  // namespace dxgk

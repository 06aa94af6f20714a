// What programs see of allocations that they have locked.
//
// An allocation has one address for as long as it lives, and its bytes may move below a lock: the program keeps its
// address and sees the same bytes (documented for D3DKMTLock2). Where the bytes are, and what the address leads to:
//
//   system memory, an aperture   the backing. For what may be in an aperture segment, or is Cached, this is all there
//                                is: the address is the backing's own, and a lock brings the bytes there.
//   a memory segment             the device's bar, for what no aperture may have. The program has an address of its own
//                                (vidmm::CpuView), which shows pages of the bar or of the backing.
//
// The address is redirected on the paging thread, which knows where the bytes are by then: when something is locked,
// and with every copy of it. It is hidden with the last unlock.
#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/allocation.h"
#include "dxgk/paging/paging_thread.h"

namespace dxgk {
namespace {

constexpr uint32_t kCpuVisible = 0x1, kCached = 0x4, kExistingSysMem = 0x10;  // DXGK_ALLOCATIONINFOFLAGS

}  // namespace

// --- What can be locked where ---

bool VideoMemory::cpu_sees(const Segment& segment) const {
  nt::Device* device = adapter_.hardware().device;
  return device && !segment.aperture && segment.cpu_visible && device->has_memory({segment.cpu_base, segment.size});
}

bool VideoMemory::cpu_follows(const Allocation& allocation) const {
  const uint32_t flags = allocation.traits().flags;
  if (!manager_ || !(flags & kCpuVisible) || (flags & (kCached | kExistingSysMem))) return false;
  if (allocation.backing.client_memory()) return false;
  const uint32_t supported = supported_segments(allocation);
  if (supported & adapter_.caps().aperture_set()) return false;
  for (uint32_t id = 1; id <= manager_->segment_count(); ++id) {
    if ((supported >> (id - 1) & 1) && manager_->segment(id).info.cpu_visible) return true;
  }
  return false;
}

// --- Locks ---

base::Result<> VideoMemory::make_cpu_view(VideoBlock& block) {
  TRY(block.backing.map(block.block.bytes()));
  if (block.cpu_view) return {};
  block.cpu_view = TRY(vidmm::CpuView::reserve(block.block.bytes()));
  viewed_.push_back(&block);
  return {};
}

base::Result<> VideoMemory::lock_bytes(Allocation& allocation) {
  uint64_t number;
  bool follows;
  {
    base::Guard guard(lock_);
    if (!allocation.video && !cpu_follows(allocation)) {  // the bytes were only ever in the machine's memory
      ++allocation.cpu_locks;
      return {};
    }
    VideoBlock& block = block_of(allocation);
    follows = block.block.traits().cpu_follows && !block.released;
    if (follows) TRY(make_cpu_view(block));
    plan_.clear();
    TRY(manager_->lock(block.block, plan_));
    ++allocation.cpu_locks;
    if (!plan_.empty()) TRY(post_plan(nullptr, nullptr));
    if (follows && !block.cpu_view->shown()) {
      PagingWork work;
      work.steps.emplace_back(CpuViewChange{&block, block.block.place()});
      block.last_work = post(std::move(work));
    }
    number = block.last_work;
  }
  if (!passed(number)) wait(number);
  if (!follows) return {};
  {
    base::Guard guard(lock_);
    bool destroyed = !allocation.video || allocation.video->released;  // by another thread; the caller finds that out
    if (destroyed || allocation.video->cpu_view->shown()) return {};
  }
  unlock_bytes(allocation);
  return base::Failure(STATUS_NO_MEMORY, "the program's address cannot lead to where the allocation is");
}

void VideoMemory::unlock_bytes(Allocation& allocation) {
  base::Guard guard(lock_);
  if (allocation.cpu_locks == 0) return;
  --allocation.cpu_locks;
  if (!allocation.video || !allocation.video->block.locked()) return;
  VideoBlock& block = *allocation.video;
  manager_->unlock(block.block);
  if (block.cpu_view && !block.block.locked()) block.cpu_view->hide();
}

std::unique_ptr<VideoBlock> VideoMemory::take(Allocation& allocation) {
  base::Guard guard(lock_);
  return std::move(allocation.video);
}

base::Result<void*> VideoMemory::cpu_address(Allocation& allocation) {
  base::Guard guard(lock_);
  if (allocation.video && allocation.video->cpu_view) return allocation.video->cpu_view->address();
  return allocation.backing.map(allocation.size());
}

// --- Following the bytes ---

bool VideoMemory::seen_by_cpu(const VideoBlock& block) {
  base::Guard guard(lock_);
  return block.cpu_view && block.cpu_view->shown();
}

base::Result<std::vector<vidmm::FilePart>> VideoMemory::files_of(const VideoBlock& block, const vidmm::Place& place) {
  std::vector<vidmm::FilePart> parts;
  const Segment* segment = adapter_.caps().segment(place.segment);
  if (!segment || segment->aperture) {
    parts.push_back(block.backing.file());
    return parts;
  }
  uint64_t left = block.block.bytes();
  for (const vidmm::Extent& extent : place.extents) {
    const uint64_t bytes = std::min(left, extent.bytes);
    if (bytes == 0) break;
    auto file = adapter_.hardware().device->memory({segment->cpu_base + extent.offset, bytes});
    if (!file) return base::Failure(STATUS_NO_MEMORY, "the device model does not give the memory of its bar");
    parts.push_back({file->descriptor, file->offset, bytes});
    left -= bytes;
  }
  return parts;
}

void VideoMemory::show_backings() {
  for (VideoBlock* block : viewed_) {
    if (!block->block.locked()) continue;
    const vidmm::FilePart backing = block->backing.file();
    static_cast<void>(block->cpu_view->show({&backing, 1}));  // what cannot be shown faults
  }
}

// Copies that were begun before it, of the same work, have to be finished first.
void PagingThread::step(const CpuViewChange& change) {
  if (!buffers_.empty() && adapter_.talks_to_driver()) {
    ParkingLock lock(adapter_.paging_mutex());
    static_cast<void>(builder_->flush());
  }
  wait_for_packets();
  VideoBlock& block = *change.block;
  auto parts = memory_.files_of(block, change.place);
  if (!parts.ok()) return;  // the caller of Lock2 sees that it is not shown
  base::Guard guard(memory_.lock());
  if (leave_off_.load(std::memory_order_acquire) || block.released || !block.block.locked()) return;
  static_cast<void>(block.cpu_view->show(parts.value()));
}

// The program's address leads to the one place until the copy is done, and then to the other. What it writes meanwhile
// is not lost (vidmm::WritesUnderway).
base::Result<> PagingThread::copy_seen(const vidmm::PagingOp& op) {
  VideoBlock& block = VideoBlock::of(*op.block);
  std::vector<vidmm::FilePart> from = TRY(memory_.files_of(block, op.from));
  auto writes = TRY(vidmm::WritesUnderway::begin(from, block.block.bytes()));
  TRY(copy_unseen(op));
  TRY(builder_->flush());
  adapter_.paging_mutex().unlock();
  wait_for_packets();
  adapter_.paging_mutex().lock();
  std::vector<vidmm::FilePart> to = TRY(memory_.files_of(block, op.to));
  {
    base::Guard guard(memory_.lock());
    if (leave_off_.load(std::memory_order_acquire)) return {};  // the adapter was reset, and nothing was copied
    TRY(writes->arrived(to));
    if (block.cpu_view->shown()) TRY(block.cpu_view->show(to));
  }
  writes->carry_over();
  return {};
}

}  // namespace dxgk

#include "dxgk/memory/video_memory.h"

#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/object/device.h"
#include "dxgk/paging/paging_queue.h"
#include "dxgk/paging/paging_thread.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"
#include "nt/boundary/own_scope.h"

namespace dxgk {
namespace {

// DXGK_ALLOCATIONINFOFLAGS, both versions of it.
constexpr uint32_t kCpuVisible = 0x1, kPermanentSysMem = 0x2, kExistingSysMem = 0x10, kPrimary = 0x200,
                   kAccessedPhysically = 0x8000, kExplicitResidencyNotification = 0x10000;

}  // namespace

VideoMemory::VideoMemory(Adapter& adapter) : adapter_(adapter) {}
VideoMemory::~VideoMemory() {
  CHECK_MSG(!thread_ || !base::Executor::current(), "video memory goes while it is in use");
}

// --- Life ---

std::vector<vidmm::SegmentInfo> VideoMemory::segment_infos() const {
  std::vector<vidmm::SegmentInfo> infos;
  for (const Segment& segment : adapter_.caps().segments) {
    vidmm::SegmentInfo info;
    info.id = segment.id;
    info.size = segment.size;
    info.commit_limit = segment.commit_limit ? segment.commit_limit : segment.size;
    info.aperture = segment.aperture;
    info.cpu_visible = segment.aperture || cpu_sees(segment);
    info.use_64k_pages = segment.flags.Use64KBPages;
    info.local_budget = !segment.aperture;
    info.nonlocal_budget = segment.aperture;
    if (segment.id == adapter_.caps().paging_segment) {
      uint64_t page = segment.flags.Use64KBPages ? vidmm::kBigPageBytes : vidmm::kPageBytes;
      uint64_t begin = (segment.size - thread_->aperture_bytes()) / page * page, end = segment.size / page * page;
      if (begin < end) info.bad.push_back({begin, end - begin});
    }
    infos.push_back(info);
  }
  return infos;
}

base::Result<> VideoMemory::start() {
  const AdapterCaps& caps = adapter_.caps();
  thread_ = std::make_unique<PagingThread>(*this);
  TRY(thread_->make_buffers());
  std::vector<vidmm::SegmentInfo> infos = segment_infos();
  vidmm::Options options;
  options.gpu_mmu = caps.gpu_mmu;
  options.writes_are_told = !caps.gpu_mmu;
  options.move_paging = caps.move_paging;
  {
    base::Guard guard(lock_);
    manager_ = std::make_unique<vidmm::Manager>(infos, options);
    if (caps.gpu_mmu) {
      PagingWork work;
      paging_space_ = TRY(AddressSpace::create(*this, AddressSpace::Kind::Paging, adapter_.system_process(), work));
      TRY(thread_->map_buffers(work));
      post(std::move(work));
    }
  }
  thread_->start();
  wait_idle();
  if (thread_->failed())
    return base::Failure(STATUS_UNSUCCESSFUL, "the driver could not build the first paging buffers");
  return {};
}

void VideoMemory::stop() {
  if (!thread_) return;
  if (manager_) wait_idle();
  thread_->stop();
  base::Guard guard(lock_);
  paging_space_.reset();
  if (manager_ && adapter_.machine().traces()) trace_segments();
  manager_.reset();
  thread_.reset();
}

// --- Work ---

// Every change of the plan is posted, except that a destroyed block may need no work.
void VideoMemory::trace_segments() {
  traced_.resize(manager_->segment_count(), UINT64_MAX);
  for (uint32_t i = 0; i < traced_.size(); ++i) {
    const vidmm::Segment& segment = manager_->segment(i + 1);
    uint64_t used = segment.statistics.resident_bytes;
    if (std::exchange(traced_[i], used) == used) continue;
    adapter_.machine().note(trace::SegmentUse{
        .adapter = adapter_.luid().LowPart, .segment = segment.info.id, .used = used, .size = segment.info.size});
  }
}

uint64_t VideoMemory::post(PagingWork work) {
  if (adapter_.machine().traces()) trace_segments();
  posted_.push_back(std::move(work));
  wants_thread_.store(true, std::memory_order_release);
  return next_work_++;
}

void VideoMemory::kick() {
  if (thread_) thread_->kick();
}

void VideoMemory::wait(uint64_t work) {
  kick();
  if (thread_) changes_.wait(adapter_.machine(), [&] { return passed(work); });
}

bool VideoMemory::wait_in_driver(uint64_t work) {
  kick();
  changes_.wait(adapter_.machine(), [&] { return passed(work) || resetting_.load(std::memory_order_acquire); });
  return passed(work);
}

void VideoMemory::begin_reset() {
  resetting_.store(true, std::memory_order_release);
  changes_.notify(adapter_.machine());
}

void VideoMemory::wait_idle() {
  uint64_t last;
  {
    base::Guard guard(lock_);
    last = next_work_ - 1;
  }
  wait(last);
}

// The place where a block arrives may have no page table yet, and another block may have to be evicted for that table.
// That is planned from the state after the whole plan, so it comes last; and it may evict a block that has just
// arrived.
base::Result<> VideoMemory::add(const vidmm::Plan& plan, PagingWork& work) {
  auto is_arrival = [](const vidmm::PagingOp& op) { return op.kind == vidmm::PagingOp::Kind::Rebind && !op.to.none(); };
  for (const vidmm::PagingOp& op : plan) {
    VideoBlock& block = VideoBlock::of(*op.block);
    if (block.page_table) continue;
    if (op.kind == vidmm::PagingOp::Kind::Rebind) {
      if (!is_arrival(op)) TRY(rebind(block, op.to, work));
      continue;
    }
    if (op.to.segment || op.from.segment) TRY(hold(block));
    block.last_work = next_work_;
    work.steps.emplace_back(op);
  }
  for (const vidmm::PagingOp& op : plan) {
    if (is_arrival(op)) TRY(rebind(VideoBlock::of(*op.block), op.block->place(), work));
  }
  return {};
}

base::Result<> VideoMemory::rebind(VideoBlock& block, const vidmm::Place& place, PagingWork& work) {
  for (const vidmm::Mapping* mapping = block.first_mapping(); mapping; mapping = mapping->next_of_mapped) {
    TRY(static_cast<AddressSpace&>(*mapping->space).rebind(*mapping, place, work));
  }
  return {};
}

base::Result<> VideoMemory::hold(VideoBlock& block) {
  if (block.pages.held()) return {};
  nt::OwnScope own(adapter_.machine());
  void* bytes = TRY(block.backing.map(block.block.bytes()));
  return block.pages.hold(adapter_.machine(), bytes, block.block.bytes());
}

base::Result<> VideoMemory::runs_of(VideoBlock& block, const vidmm::Place& place, uint64_t offset, uint64_t bytes,
                                    std::vector<vidmm::PageRun>& out) {
  constexpr uint64_t kPage = vidmm::kPageBytes;
  const Segment* segment = adapter_.caps().segment(place.segment);
  if (segment && !segment->aperture) {
    uint64_t at = 0;
    for (const vidmm::Extent& extent : place.extents) {
      uint64_t from = std::max(at, offset), to = std::min(at + extent.bytes, offset + bytes);
      if (from < to) {
        out.push_back({.segment = place.segment,
                       .page = (extent.offset + (from - at)) / kPage,
                       .count = (to - from) / kPage,
                       .pages_64k = segment->flags.Use64KBPages != 0});
      }
      at += extent.bytes;
    }
    return {};
  }
  TRY(hold(block));
  for (uint64_t i = offset / kPage; i < (offset + bytes) / kPage; ++i) {
    uint64_t page = block.pages.page(i);
    if (!out.empty() && out.back().segment == 0 && out.back().page + out.back().count == page) {
      ++out.back().count;
    } else {
      out.push_back({.segment = 0, .page = page, .count = 1});
    }
  }
  return {};
}

// --- Blocks ---

uint32_t VideoMemory::supported_segments(const Allocation& allocation) const {
  const AllocationTraits& said = allocation.traits();
  const AdapterCaps& caps = adapter_.caps();
  return (said.write_segments | (caps.wddm2() ? 0 : said.read_segments)) & caps.segment_set();
}

vidmm::BlockTraits VideoMemory::traits_of(const Allocation& allocation) const {
  const AllocationTraits& said = allocation.traits();
  const AdapterCaps& caps = adapter_.caps();
  vidmm::BlockTraits traits;
  traits.bytes = said.size;
  traits.alignment = said.alignment;
  traits.supported = supported_segments(allocation);
  traits.preferred = preferences_of(said.preferred_segments, caps);
  traits.eviction = said.eviction_segments;
  traits.priority = allocation.priority() ? allocation.priority() : 0x78000000;
  traits.contiguous = !caps.gpu_mmu || (said.flags & (kAccessedPhysically | kPrimary));
  traits.cpu_visible = said.flags & kCpuVisible;
  traits.cpu_follows = cpu_follows(allocation);
  traits.permanent_sysmem = said.flags & kPermanentSysMem;
  // Bytes that exist already, the client's own or written under a lock, are not overwritten by a fill.
  traits.existing_sysmem = (said.flags & kExistingSysMem) || allocation.backing.mapped();
  traits.explicit_notification = caps.wddm2() && (said.flags & kExplicitResidencyNotification);
  return traits;
}

VideoBlock& VideoMemory::block_of(Allocation& allocation) {
  if (!allocation.video) {
    allocation.video = std::make_unique<VideoBlock>(traits_of(allocation), allocation.ordinal(),
                                                    allocation.driver_handle(), allocation.backing);
    manager_->add(allocation.video->block);
    // Nothing has to be done for a block that has no place yet.
    vidmm::Plan nothing;
    for (uint32_t i = 0; i < allocation.cpu_locks; ++i) {
      static_cast<void>(manager_->lock(allocation.video->block, nothing));
    }
  }
  return *allocation.video;
}

uint64_t VideoMemory::close(Device& device, Allocation& allocation, bool last_of_process) {
  uint64_t number = 0;
  {
    base::Guard guard(lock_);
    if (!allocation.video) return 0;
    VideoBlock& block = *allocation.video;
    DeviceQueue& queue = device.queue();
    blocks_.assign(queue.residency.count(block.block), &block.block);
    plan_.clear();
    PagingWork work;
    if (!blocks_.empty()) {
      uint64_t ignored;
      CHECK(manager_->evict(queue.residency, blocks_, {}, plan_, ignored).ok());
      static_cast<void>(add(plan_, work));
    }
    AddressSpace* space = address_space(device.process_adapter());
    if (space && last_of_process) {
      vidmm::VaOpList ops;
      space->unmap_all(block, ops);
      static_cast<void>(space->perform(ops, work));
    }
    if (!work.steps.empty()) number = post(std::move(work));
    number = std::max(number, block.last_work);
  }
  if (number) kick();
  return number;
}

// No caller can handle a failure here, and none is expected: the page tables of a mapped range exist.
void VideoMemory::remove(VideoBlock& block, PagingWork& work) {
  vidmm::VaOpList ops;
  vidmm::VaSpace::unmap_everywhere(block, ops);
  for (const vidmm::VaOp& op : ops) {
    static_cast<void>(static_cast<AddressSpace&>(*op.space).perform({&op, 1}, work));
  }
  plan_.clear();
  // What a program has locked stays visible to it when the adapter has been pulled out.
  if (block.cpu_view && adapter_.present()) block.cpu_view->hide();
  viewed_.erase(&block);
  if (block.block.pinned()) manager_->unpin(block.block);
  manager_->remove(block.block, plan_);
  static_cast<void>(add(plan_, work));
  if (adapter_.machine().traces()) trace_segments();
}

uint64_t VideoMemory::release(Allocation& allocation) {
  uint64_t number;
  {
    base::Guard guard(lock_);
    if (!allocation.video) return 0;
    VideoBlock& block = *allocation.video;
    if (std::exchange(block.released, true)) return block.last_work;
    PagingWork work;
    remove(block, work);
    number = block.last_work = work.steps.empty() ? block.last_work : post(std::move(work));
  }
  if (number) kick();
  return number;
}

void VideoMemory::set_priority(Allocation& allocation, uint32_t priority) {
  base::Guard guard(lock_);
  if (allocation.video) manager_->set_priority(allocation.video->block, priority);
}

bool VideoMemory::offered(const Allocation& allocation) {
  base::Guard guard(lock_);
  return allocation.video && allocation.video->block.offered();
}

base::Result<> VideoMemory::defragment(uint32_t segment) {
  {
    base::Guard guard(lock_);
    plan_.clear();
    if (manager_->defragment(segment, plan_) == vidmm::Answer::OutOfMemory) {
      return base::Failure(STATUS_UNSUCCESSFUL, "the pass was made to fail");
    }
    if (plan_.empty()) return {};
    TRY(post_plan(nullptr, nullptr));
  }
  kick();
  return {};
}

void VideoMemory::set_paging_limit(size_t bytes) { thread_->set_limit(bytes); }

void VideoMemory::set_transfer_limit(uint64_t bytes) { thread_->set_transfer_limit(bytes); }

void VideoMemory::set_knobs(const vidmm::Knobs& knobs) {
  base::Guard guard(lock_);
  manager_->set_knobs(knobs);
}

// --- Residency ---

base::Result<uint64_t> VideoMemory::post_plan(DeviceQueue* device, PagingQueue* queue) {
  PagingWork work;
  TRY(add(plan_, work));
  work.device = device;
  uint64_t fence = 0;
  if (queue) {
    fence = queue->next_value();
    work.done = [queue = base::Ref<PagingQueue>::share(*queue), fence] { queue->reached(fence); };
  }
  uint64_t number = post(std::move(work));
  if (device) device->resident_after = number;
  return fence;
}

base::Result<VideoMemory::Residency> VideoMemory::make_resident(PagingQueue& queue,
                                                                std::span<Allocation* const> allocations,
                                                                vidmm::MakeResidentFlags flags) {
  Residency answer = TRY(try_make_resident(queue, allocations, flags));
  if (answer.status == STATUS_PENDING) kick();
  // The promise of MustSucceed was broken (RS-05).
  if (answer.status == STATUS_NO_MEMORY && flags.must_succeed) {
    adapter_.gpu().lose(queue.device(), Device::State::Error);
  }
  return answer;
}

base::Result<VideoMemory::Residency> VideoMemory::try_make_resident(PagingQueue& queue,
                                                                    std::span<Allocation* const> allocations,
                                                                    vidmm::MakeResidentFlags flags) {
  Residency answer;
  DeviceQueue& device = queue.device().queue();
  {
    base::Guard guard(lock_);
    blocks_.clear();
    for (Allocation* allocation : allocations) blocks_.push_back(&block_of(*allocation).block);
    plan_.clear();
    switch (manager_->make_resident(device.residency, blocks_, flags, plan_, answer.bytes_to_trim)) {
      case vidmm::Answer::OutOfMemory:
        answer.status = STATUS_NO_MEMORY;
        return answer;
      case vidmm::Answer::Locked:
        return base::Failure(STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION,
                             "a locked allocation has no place that both the CPU and the GPU see");
      case vidmm::Answer::Done:
        if (passed(device.resident_after)) return answer;
        break;
      case vidmm::Answer::Pending:
        break;
    }
    answer.status = STATUS_PENDING;
    answer.fence = TRY(post_plan(&device, &queue));
  }
  return answer;
}

base::Result<uint64_t> VideoMemory::evict(Device& device, std::span<Allocation* const> allocations,
                                          vidmm::EvictFlags flags) {
  uint64_t bytes_to_trim = 0;
  bool posted = false;
  {
    base::Guard guard(lock_);
    blocks_.clear();
    for (Allocation* allocation : allocations) blocks_.push_back(&block_of(*allocation).block);
    plan_.clear();
    TRY(manager_->evict(device.queue().residency, blocks_, flags, plan_, bytes_to_trim));
    if (!plan_.empty()) {
      TRY(post_plan(nullptr, nullptr));
      posted = true;
    }
  }
  if (posted) kick();
  return bytes_to_trim;
}

base::Result<> VideoMemory::offer(std::span<Allocation* const> allocations, vidmm::OfferPriority priority) {
  bool posted = false;
  {
    base::Guard guard(lock_);
    blocks_.clear();
    for (Allocation* allocation : allocations) blocks_.push_back(&block_of(*allocation).block);
    plan_.clear();
    TRY(manager_->offer(blocks_, priority, plan_));
    if (!plan_.empty()) {
      TRY(post_plan(nullptr, nullptr));
      posted = true;
    }
  }
  if (posted) kick();
  return {};
}

base::Result<VideoMemory::Residency> VideoMemory::reclaim(PagingQueue* queue, std::span<Allocation* const> allocations,
                                                          std::span<vidmm::ReclaimResult> results) {
  Residency answer;
  {
    base::Guard guard(lock_);
    blocks_.clear();
    for (Allocation* allocation : allocations) blocks_.push_back(&block_of(*allocation).block);
    plan_.clear();
    if (manager_->reclaim(blocks_, results, plan_) == vidmm::Answer::OutOfMemory) {
      answer.status = STATUS_NO_MEMORY;
      return answer;
    }
    if (plan_.empty()) return answer;
    answer.fence = TRY(post_plan(queue ? &queue->device().queue() : nullptr, queue));
    if (queue) answer.status = STATUS_PENDING;
  }
  kick();
  return answer;
}

}  // namespace dxgk

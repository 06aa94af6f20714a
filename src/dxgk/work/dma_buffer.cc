#include "dxgk/work/dma_buffer.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/segment_room.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/present/present_memory.h"
#include "dxgk/work/gpu.h"
#include "nt/mm/pool.h"

namespace dxgk {
namespace {

std::vector<DmaPart> parts_of(VideoMemory& memory, const DmaContents& contents) {
  std::optional<SegmentRoom> room;
  {
    base::Guard guard(memory.lock());
    room.emplace(memory, contents);
  }
  return split(contents.patches(), contents.bytes, *room);
}

}  // namespace

DmaContents::DmaContents(Adapter& adapter, DmaPool& pool) : adapter_(adapter), pool_(base::Ref<DmaPool>::share(pool)) {}

base::Result<base::Ref<DmaContents>> DmaContents::create(Adapter& adapter, DmaPool& pool, const DmaMemory::Sizes& sizes,
                                                         std::span<const ListedAllocation> listed) {
  auto contents = base::Ref<DmaContents>::adopt(new DmaContents(adapter, pool));
  contents->memory_ = TRY(pool.take(sizes));
  TRY(contents->hold(listed));
  if (listed.empty()) return contents;
  void* list = adapter.machine().pool().allocate(listed.size() * sizeof(DXGK_ALLOCATIONLIST), 0, nt::PoolKind::Internal,
                                                 nt::PoolFill::Zero);
  if (!list) return base::Failure(STATUS_NO_MEMORY, "no memory for the allocation list of a DMA buffer");
  contents->list_ = static_cast<DXGK_ALLOCATIONLIST*>(list);
  for (size_t i = 0; i < listed.size(); ++i) {
    contents->list_[i].hDeviceSpecificAllocation = listed[i].view ? (*listed[i].view)->driver_view : nullptr;
    contents->list_[i].WriteOperation = listed[i].written;
  }
  return contents;
}

base::Result<> DmaContents::hold(std::span<const ListedAllocation> listed) {
  allocations_.reserve(listed.size());
  for (const ListedAllocation& one : listed) {
    if (!one.view) {
      allocations_.emplace_back();
      continue;
    }
    Allocation& allocation = (*one.view)->allocation();
    if (!allocation.hold()) return base::Failure(STATUS_INVALID_HANDLE, "an allocation in the list is being destroyed");
    allocations_.emplace_back(base::Ref<Allocation>::share(allocation));
  }
  return {};
}

void DmaContents::locate(VideoMemory& memory) {
  base::Guard guard(memory.lock());
  for (uint32_t i = 0; i < allocations_.size(); ++i) {
    const Allocation* allocation = this->allocation(i);
    DXGK_ALLOCATIONLIST& element = list_[i];
    element.SegmentId = 0;
    element.PhysicalAddress.QuadPart = 0;
    if (!allocation || !allocation->video) continue;
    const vidmm::Place& place = allocation->video->block.place();
    if (place.extents.empty()) continue;
    uint64_t base = adapter_.caps().segment(place.segment)->base;
    element.SegmentId = place.segment & 0x1F;
    element.PhysicalAddress.QuadPart = static_cast<LONGLONG>(base + place.extents.front().offset);
  }
}

DmaContents::~DmaContents() {
  use.reset();  // first: it names allocations that may go when they are released
  bool last = false;
  for (const auto& allocation : allocations_) {
    if (allocation) last |= (*allocation)->let_go();
  }
  if (last) adapter_.destructions().kick();
  if (list_) adapter_.machine().pool().free(list_, 0);
  if (memory_) pool_->give_back(std::move(memory_));
}

// All that is listed, also what the part's patch locations do not name: the client said that its commands use it.
DmaBuffer::DmaBuffer(base::Ref<DmaContents> of, const DmaPart& range) : contents(std::move(of)), part(range) {
  for (uint32_t i = 0; i < contents->list().size(); ++i) {
    Allocation* used = contents->allocation(i);
    uses_.push_back(used ? used->gpu_uses.begin(contents->list()[i].WriteOperation) : 0);
  }
}

DmaBuffer::~DmaBuffer() {
  for (uint32_t i = 0; i < contents->list().size(); ++i) {
    if (Allocation* used = contents->allocation(i)) used->gpu_uses.end(uses_[i]);
  }
}

void enqueue(Context& context, const base::Ref<DmaContents>& contents, DmaFlags flags) {
  Gpu& gpu = context.adapter().gpu();
  for (const DmaPart& part : parts_of(context.adapter().memory(), *contents)) {
    Submission& submission = gpu.make(vidsch::PacketKind::Render);
    submission.null_rendering = flags.null_rendering;
    submission.present = flags.present;
    submission.dma = std::make_unique<DmaBuffer>(contents, part);
    gpu.enqueue(context, submission);
  }
}

}  // namespace dxgk

#include "dxgk/dma_buffer.h"

#include "dxgk/adapter.h"
#include "dxgk/command_buffers.h"
#include "dxgk/context.h"
#include "dxgk/video_memory.h"

namespace dxgk {

base::Result<base::Ref<DmaContents>> DmaContents::create(Context& context, std::span<const ListedAllocation> listed) {
  CommandBuffers& buffers = *context.command_buffers();
  auto contents = base::Ref<DmaContents>::adopt(new DmaContents(context.adapter(), buffers.pool()));
  contents->memory_ = TRY(buffers.pool().take(buffers.dma_sizes()));
  TRY(contents->hold(listed));
  if (listed.empty()) return contents;
  nt::Pool& pool = context.adapter().machine().pool();
  void* list =
      pool.allocate(listed.size() * sizeof(DXGK_ALLOCATIONLIST), 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
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
  bool last = false;
  for (const auto& allocation : allocations_) {
    if (allocation) last |= (*allocation)->let_go();
  }
  if (last) adapter_.destructions().kick();
  if (list_) adapter_.machine().pool().free(list_, 0);
  if (memory_) pool_->give_back(std::move(memory_));
}

}  // namespace dxgk

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/ref.h"
#include "dxgk/object/allocation.h"
#include "dxgk/work/dma_memory.h"
#include "dxgk/work/dma_split.h"
#include "vidmm/manager/block.h"

namespace dxgk {

class Context;
class PresentUse;
class VideoMemory;

// An element of a client's allocation list, as far as it was looked up. None: the NULL element.
struct ListedAllocation {
  std::optional<base::Ref<AllocationView>> view;
  bool written = false;
};

// What one call of DxgkDdiRender or DxgkDdiPresent made: commands, and the lists by which they are patched. Keeps the
// allocations it names from being destroyed. Written by the calling thread, then shared by the packets in which it goes
// to the GPU.
class DmaContents final : public base::RefCounted {
 public:
  // STATUS_NO_MEMORY; STATUS_INVALID_HANDLE for an allocation whose destruction has begun.
  static base::Result<base::Ref<DmaContents>> create(Adapter& adapter, DmaPool& pool, const DmaMemory::Sizes& sizes,
                                                     std::span<const ListedAllocation> listed);
  ~DmaContents() override;

  DmaMemory& memory() { return *memory_; }
  // What the driver is shown: in a block of exactly that size.
  std::span<DXGK_ALLOCATIONLIST> list() const { return {list_, allocations_.size()}; }
  // Null for the NULL element.
  Allocation* allocation(uint32_t index) const { return allocations_[index] ? allocations_[index]->get() : nullptr; }

  // Writes into the list where the allocations are now. Takes the memory's lock.
  void locate(VideoMemory& memory);

  // Of a present whose addresses are virtual.
  std::optional<base::Ref<PresentUse>> use;

  // How far the driver filled it.
  uint32_t bytes = 0;
  uint32_t patch_count = 0;
  std::span<const D3DDDI_PATCHLOCATIONLIST> patches() const { return {memory_->patches(), patch_count}; }

 private:
  DmaContents(Adapter& adapter, DmaPool& pool);
  base::Result<> hold(std::span<const ListedAllocation> listed);

  Adapter& adapter_;
  base::Ref<DmaPool> pool_;
  std::unique_ptr<DmaMemory> memory_;
  DXGK_ALLOCATIONLIST* list_ = nullptr;
  std::vector<std::optional<base::Ref<Allocation>>> allocations_;
};

// The part of a DMA buffer that one packet submits. Owned by the packet; the memory's lock, except what never changes.
// While there is one, the allocations that it names are in use (gpu_uses.h).
class DmaBuffer {
 public:
  DmaBuffer(base::Ref<DmaContents> of, const DmaPart& range);
  ~DmaBuffer();
  DmaBuffer(const DmaBuffer&) = delete;
  DmaBuffer& operator=(const DmaBuffer&) = delete;

  const base::Ref<DmaContents> contents;
  const DmaPart part;

  // What the part's patch locations name, each once, in their order: these and no others are paged in (observed).
  std::vector<vidmm::Block*> blocks;
  std::vector<vidmm::Block*> written;  // those of them that are listed with WriteOperation
  bool named = false;                  // the two are filled
  bool held = false;                   // the blocks stay where they are until the packet has retired
  uint64_t ready_after = 0;            // paging work that brings them there

 private:
  std::vector<uint64_t> uses_;  // of what is listed: the numbers of GpuUses::begin()
};

// What the driver is told of a DMA buffer when it is submitted.
struct DmaFlags {
  bool null_rendering = false;
  bool present = false;
};

// Cuts what was made into parts that fit into video memory, and queues those.
void enqueue(Context& context, const base::Ref<DmaContents>& contents, DmaFlags flags);

}  // namespace dxgk

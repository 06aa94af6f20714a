#include "dxgk/present/present_memory.h"

#include "base/align.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/work/device_queue.h"

namespace dxgk {
namespace {

// The size for a driver that asked for no DMA buffers (ours): its clients' commands lie in their own memory.
constexpr uint32_t kLeastBytes = vidmm::kPageBytes;

uint64_t whole_pages(uint64_t bytes) { return base::round_up(bytes, vidmm::kPageBytes); }

base::Failure no_addresses(base::Here where = base::Here::now()) {
  return base::Failure(STATUS_NOT_SUPPORTED, "the adapter has no GPU virtual addresses", where);
}

// The device's packets wait for it.
void post_for(VideoMemory& memory, DeviceQueue& queue, PagingWork work) {
  memory.assert_locked();
  work.device = &queue;
  queue.resident_after = memory.post(std::move(work));
}

// A client that guesses the address can free it: its next present then gets another address.
bool maps(const AddressSpace& space, uint64_t address, const VideoBlock& block) {
  const vidmm::Mapping* mapping = address ? space.find(address) : nullptr;
  return mapping && mapping->what == &block && mapping->va == address && mapping->bytes == block.bytes() &&
         mapping->protection.write;
}

base::Result<> map(VideoMemory& memory, AddressSpace& space, AllocationView& view, PagingWork& work) {
  memory.assert_locked();
  VideoBlock& block = memory.block_of(view.allocation());
  if (maps(space, view.present_address, block)) return {};
  vidmm::VaOpList ops;
  uint64_t address = TRY(space.map(
      {.minimum = space.lowest(), .what = &block, .bytes = block.bytes(), .protection = {.write = true}}, ops));
  base::Result<> performed = space.perform(ops, work);
  if (!performed.ok()) {
    vidmm::VaOpList undone;
    static_cast<void>(space.free(address, block.bytes(), undone));
    static_cast<void>(space.perform(undone, work));
    return performed;
  }
  view.present_address = address;
  return {};
}

base::Result<> map_all(VideoMemory& memory, AddressSpace& space, std::span<const ListedAllocation> listed,
                       PagingWork& work) {
  for (const ListedAllocation& one : listed) {
    if (one.view) TRY(map(memory, space, **one.view, work));
  }
  return {};
}

// Adds them to the device's residency list, once more.
base::Result<> list(VideoMemory& memory, DeviceQueue& queue, std::span<const ListedAllocation> listed,
                    vidmm::Plan& plan) {
  memory.assert_locked();
  std::vector<vidmm::Block*> blocks;
  for (const ListedAllocation& one : listed) {
    if (one.view) blocks.push_back(&memory.block_of((*one.view)->allocation()).block);
  }
  uint64_t bytes_to_trim = 0;
  switch (memory.manager().make_resident(queue.residency, blocks, {.cant_trim_further = true}, plan, bytes_to_trim)) {
    case vidmm::Answer::OutOfMemory:
      return base::Failure(STATUS_NO_MEMORY, "no video memory for what is presented");
    case vidmm::Answer::Locked:
      return base::Failure(STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION,
                           "what is presented is locked, and has no place that both the CPU and the GPU see");
    default:
      return {};
  }
}

}  // namespace

// --- DMA buffers ---

PresentMemory::PresentMemory(Context& context) : context_(context), pool_(base::make_ref<DmaPool>(context.adapter())) {}

base::Result<base::Ref<DmaContents>> PresentMemory::take(std::span<const ListedAllocation> listed,
                                                         const base::Ref<PresentUse>& use) {
  const DXGK_CONTEXTINFO& info = context_.info();
  DmaMemory::Sizes sizes{.bytes = info.DmaBufferSize ? info.DmaBufferSize : kLeastBytes,
                         .private_bytes = info.DmaBufferPrivateDataSize};
  base::Ref<DmaContents> contents = TRY(DmaContents::create(context_.adapter(), *pool_, sizes, listed));
  contents->use = use;
  TRY(map(contents->memory()));
  return contents;
}

base::Result<> PresentMemory::map(DmaMemory& dma) {
  if (dma.gpu_address) return {};
  Device& device = context_.device();
  VideoMemory& memory = device.adapter().memory();
  {
    base::Guard guard(memory.lock());
    AddressSpace* space = TRY(memory.make_address_space(device.process_adapter()));
    if (!space) return no_addresses();
    uint64_t bytes = whole_pages(dma.sizes().bytes);
    uint64_t address = TRY(space->reserve_own(bytes));
    vidmm::PageRun run{
        .segment = 0, .page = dma.physical() / vidmm::kPageBytes, .count = bytes / vidmm::kPageBytes, .large = false};
    PagingWork work;
    base::Result<> mapped = space->map_runs(address, bytes, {&run, 1}, {.execute = true}, work);
    if (mapped.ok()) {
      dma.gpu_address = address;
    } else {
      space->release_own(address);
    }
    post_for(memory, device.queue(), std::move(work));
    if (!mapped.ok()) return mapped;
  }
  memory.kick();
  return {};
}

void PresentMemory::close() {
  std::vector<std::unique_ptr<DmaMemory>> all = pool_->close();
  VideoMemory& memory = context_.adapter().memory();
  uint64_t number;
  {
    base::Guard guard(memory.lock());
    AddressSpace* space = memory.address_space(context_.device().process_adapter());
    PagingWork work;
    for (const auto& dma : all) {
      if (!space || !dma->gpu_address) continue;
      uint64_t bytes = whole_pages(dma->sizes().bytes);
      vidmm::VaOp unmap{.kind = vidmm::VaOp::Kind::Unmap,
                        .space = space,
                        .va = dma->gpu_address,
                        .bytes = bytes,
                        .protection = {.no_access = true}};
      static_cast<void>(space->perform({&unmap, 1}, work));
      space->release_own(dma->gpu_address);
    }
    number = memory.post(std::move(work));
  }
  memory.wait(number);
}

// --- Allocations ---

base::Result<base::Ref<PresentUse>> PresentUse::create(Context& context, std::span<const ListedAllocation> listed) {
  Device& device = context.device();
  VideoMemory& memory = device.adapter().memory();
  auto use = base::Ref<PresentUse>::adopt(new PresentUse(device));
  base::Result<> done;
  {
    base::Guard guard(memory.lock());
    AddressSpace* space = TRY(memory.make_address_space(device.process_adapter()));
    if (!space) return no_addresses();
    PagingWork work;
    done = map_all(memory, *space, listed, work);
    vidmm::Plan plan;
    if (done.ok()) done = list(memory, device.queue(), listed, plan);
    if (done.ok()) {
      for (const ListedAllocation& one : listed) {
        if (one.view) use->resident_.push_back(base::Ref<Allocation>::share((*one.view)->allocation()));
      }
      done = memory.add(plan, work);
    }
    if (!work.steps.empty()) post_for(memory, device.queue(), std::move(work));
  }
  memory.kick();
  if (!done.ok()) return done.failure();
  return use;
}

// A client that has evicted more often than it made resident has removed this count already.
PresentUse::~PresentUse() {
  if (resident_.empty()) return;
  std::vector<Allocation*> allocations;
  for (const auto& allocation : resident_) allocations.push_back(&*allocation);
  static_cast<void>(device_.adapter().memory().evict(device_, allocations, {.evict_only_if_necessary = true}));
}

}  // namespace dxgk

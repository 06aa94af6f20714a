// Memory for packets that name what they use (WDDM 1.x): devices have no residency list. Each packet holds its own
// blocks from before it is submitted until it has retired, all of them or none.
#include <algorithm>
#include <utility>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/context.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/dma_buffer.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

// In the order of the patch locations (documented).
void name_blocks(VideoMemory& memory, DmaBuffer& dma) {
  memory.assert_locked();
  if (std::exchange(dma.named, true)) return;
  const DmaContents& contents = *dma.contents;
  std::vector<bool> seen(contents.list().size());
  for (const auto& entry : contents.patches().subspan(dma.part.first_patch, dma.part.patch_count)) {
    Allocation* allocation = contents.allocation(entry.AllocationIndex);
    if (!allocation || seen[entry.AllocationIndex]) continue;
    seen[entry.AllocationIndex] = true;
    vidmm::Block& block = memory.block_of(*allocation).block;
    dma.blocks.push_back(&block);
    if (contents.list()[entry.AllocationIndex].WriteOperation) dma.written.push_back(&block);
  }
}

// They may have been lost in a reset of the adapter since they were held.
bool all_resident(const DmaBuffer& dma) {
  return std::all_of(dma.blocks.begin(), dma.blocks.end(), [](const vidmm::Block* block) { return block->resident(); });
}

// A packet counts as running while it holds its blocks.
void let_go(DmaBuffer& dma, vidmm::Manager& manager, std::vector<DeviceQueue*>& running, DeviceQueue& queue) {
  manager.release(dma.blocks);
  dma.held = false;
  auto one = std::find(running.begin(), running.end(), &queue);
  if (one != running.end()) running.erase(one);
}

// Work is carried out in order, so what was posted for others is done before what is posted now.
uint64_t last_work_of(const DmaBuffer& dma) {
  uint64_t last = 0;
  for (const vidmm::Block* block : dma.blocks) last = std::max(last, VideoBlock::of(*block).last_work);
  return last;
}

}  // namespace

// A packet that does not fit because of other packets waits until one of them has released its blocks. A packet that
// does not fit alone never will: its device is lost.
bool VideoMemory::ready(Submission& submission) {
  base::Guard guard(lock_);
  DmaBuffer& dma = *submission.dma;
  Device& device = submission.context->device();
  DeviceQueue& queue = device.queue();
  if (!passed(queue.contexts_after)) return false;
  name_blocks(*this, dma);
  if (dma.held && !all_resident(dma)) let_go(dma, *manager_, running_, queue);
  if (dma.held) return passed(dma.ready_after);

  plan_.clear();
  size_t fitted = 0;
  static_cast<void>(manager_->prepare(dma.blocks, plan_, fitted));
  bool fits = fitted == dma.blocks.size();
  bool there = plan_.empty() && passed(last_work_of(dma));
  bool planned = there || post_plan(fits ? &queue : nullptr, nullptr).ok();
  if (fits && planned) {
    dma.held = true;
    running_.push_back(&queue);
    if (!there) dma.ready_after = queue.resident_after;
    return there;
  }
  manager_->release(std::span(dma.blocks).first(fitted));
  if (planned && !running_.empty()) {
    wait_in_line(queue);
  } else {
    post(losing(device));
  }
  return false;
}

void VideoMemory::retired(Submission& submission) {
  std::vector<DeviceQueue*> waiters;
  {
    base::Guard guard(lock_);
    if (!submission.dma->held) return;
    let_go(*submission.dma, *manager_, running_, submission.context->device().queue());
    for (DeviceQueue* waiter : waiting_) waiter->waiting = false;
    waiters.swap(waiting_);
    has_waiters_.store(false, std::memory_order_relaxed);
  }
  for (DeviceQueue* waiter : waiters) adapter_.gpu().memory_ready(waiter->state);
}

}  // namespace dxgk

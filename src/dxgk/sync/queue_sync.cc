#include "dxgk/sync/queue_sync.h"

#include <atomic>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

base::Result<> check(std::span<const base::Ref<Context>> contexts) {
  for (const auto& context : contexts) {
    if (&context->device() != &contexts.front()->device()) {
      return base::Failure(STATUS_INVALID_PARAMETER, "the contexts belong to several devices");
    }
    TRY(context->usable());
  }
  return {};
}

// An operation of several queues: the last queue that reaches it performs it.
class Meeting final : public vidsch::Wakeable {
 public:
  Meeting(uint32_t queues, std::span<const FenceValue> objects, vidsch::Rewind rewind,
          std::optional<base::Ref<ClientEvent>> event)
      : left_(queues), objects_(objects.begin(), objects.end()), rewind_(rewind), event_(std::move(event)) {}

  // At any IRQL up to DISPATCH_LEVEL. A signal may be refused by now; no caller is left to be told.
  void wake() override {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    for (const FenceValue& each : objects_) static_cast<void>(each.object->signal(each.value, rewind_));
    if (event_) (*event_)->set();
  }

 private:
  std::atomic<uint32_t> left_;
  const std::vector<FenceValue> objects_;
  const vidsch::Rewind rewind_;
  const std::optional<base::Ref<ClientEvent>> event_;
};

}  // namespace

base::Result<> queue_signal(std::span<const base::Ref<Context>> contexts, std::span<const FenceValue> objects,
                            vidsch::Rewind rewind, std::optional<base::Ref<ClientEvent>> event) {
  TRY(check(contexts));
  Gpu& gpu = contexts.front()->adapter().gpu();
  if (contexts.size() == 1 && !event) {
    Submission& signal = gpu.make(vidsch::PacketKind::Signal);
    signal.points.assign(objects.begin(), objects.end());
    signal.rewind = rewind;
    gpu.enqueue(*contexts.front(), signal);
    return {};
  }
  auto meeting = base::make_ref<Meeting>(static_cast<uint32_t>(contexts.size()), objects, rewind, std::move(event));
  for (const auto& context : contexts) {
    Submission& signal = gpu.make(vidsch::PacketKind::Event);
    signal.event = meeting;
    gpu.enqueue(*context, signal);
  }
  return {};
}

base::Result<> queue_wait(Context& context, std::span<const FenceValue> objects) {
  TRY(context.usable());
  Gpu& gpu = context.adapter().gpu();
  Submission& wait = gpu.make(vidsch::PacketKind::Wait);
  wait.points.assign(objects.begin(), objects.end());
  gpu.enqueue(context, wait);
  return {};
}

// A page has fences of one process only, so it is mapped for that process as a whole, once.
base::Result<D3DGPU_VIRTUAL_ADDRESS> gpu_address_of(Device& device, const SyncObject& object) {
  const FenceSlot* slot = object.memory();
  VideoMemory& memory = device.adapter().memory();
  if (!slot || !device.adapter().caps().gpu_mmu || !device.has_queue()) return 0;
  ProcessAdapter& process = device.process_adapter();
  uint64_t address;
  {
    base::Guard guard(memory.lock());
    auto known = process.fence_pages.find(slot->page_physical());
    if (known != process.fence_pages.end()) {
      address = known->second;
    } else {
      AddressSpace* space = TRY(memory.make_address_space(process));
      address = TRY(space->reserve_own(vidmm::kPageBytes));
      vidmm::PageRun run{.segment = 0, .page = slot->page_physical() / vidmm::kPageBytes, .count = 1, .large = false};
      PagingWork work;
      TRY(space->map_runs(address, vidmm::kPageBytes, {&run, 1}, {.write = true}, work));
      process.fence_pages.emplace(slot->page_physical(), address);
      work.device = &device.queue();
      work.device->resident_after = memory.post(std::move(work));
    }
  }
  memory.kick();
  return address + slot->offset();
}

}  // namespace dxgk

#include "dxgk/memory/page_fault.h"

#include <fmt/format.h>

#include "dxgk/adapter/adapter.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/allocation.h"
#include "dxgk/object/device.h"
#include "dxgk/object/process.h"
#include "dxgk/work/device_queue.h"
#include "dxgk/work/gpu.h"

namespace dxgk {
namespace {

FaultCause told(nt::Violation what, uint64_t address, const char* why) {
  return {what, fmt::format("commands touched the GPU virtual address 0x{:X}, {}", address, why)};
}

FaultCause cause_of(nt::Machine& machine, const FreedAddresses::Range& range, uint64_t address) {
  bool freed = range.how == FreedAddresses::How::Freed;
  FaultCause cause = freed ? told(nt::Violation::UsedFreedAddress, address,
                                  "which the process freed while they were queued (D3DKMTFreeGpuVirtualAddress)")
                           : told(nt::Violation::DestroyPromisedIdle, address,
                                  "whose allocation was destroyed with AssumeNotInUse while they were queued");
  cause.stacks.push_back({freed ? "freed" : "destroyed", machine.stacks().get(range.where)});
  return cause;
}

}  // namespace

std::optional<FaultCause> cause_of_fault(Device& device, uint64_t address, uint64_t packet) {
  VideoMemory& memory = device.adapter().memory();
  base::Guard guard(memory.lock());
  AddressSpace* space = memory.address_space(device.process_adapter());
  if (!space || !device.has_queue()) return std::nullopt;
  const vidmm::Mapping* mapping = space->find(address);
  if (!mapping) {
    const FreedAddresses::Range* range = space->freed.find(address, packet);
    return range ? std::optional(cause_of(device.machine(), *range, address)) : std::nullopt;
  }
  if (!mapping->what) return std::nullopt;
  auto& block = static_cast<VideoBlock&>(*mapping->what);
  if (block.context_owner || device.queue().residency.count(block.block)) return std::nullopt;
  return told(nt::Violation::UsedNotResident, address,
              "which leads to an allocation that is not on the device's residency list");
}

void judge_promised_idle(Device& device, const Allocation& allocation) {
  if (!allocation.video) return;
  VideoMemory& memory = device.adapter().memory();
  uint64_t queued = device.adapter().gpu().last_queued();
  base::StackId where = device.machine().here_id();
  base::Guard guard(memory.lock());
  AddressSpace* space = memory.address_space(device.process_adapter());
  if (!space) return;
  for (auto* mapping = allocation.video->first_mapping(); mapping; mapping = mapping->next_of_mapped) {
    if (mapping->space != space) continue;
    space->freed.add({mapping->va, mapping->bytes, FreedAddresses::How::PromisedIdle, queued, where});
  }
}

}  // namespace dxgk

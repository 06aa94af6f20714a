#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nt/probe.h"
#include "vidsch/fence_id.h"

namespace dxgk {

class Allocation;
class Device;

// A page fault as the driver reported it (DXGK_INTERRUPT_DMA_PAGE_FAULTED).
struct PageFault {
  uint32_t node = 0;
  vidsch::FenceId fence = 0;
  uint64_t address = 0;
};

// What a client did that made its commands fault, as a rule that it broke.
struct FaultCause {
  nt::Broke what;
  std::string sentence;
  std::vector<nt::RoleStack> stacks = {};
};

// Of a packet of the device that faulted at a GPU virtual address: the address leads to an allocation that is not on
// the device's residency list, or the client gave it up when the packet was queued already. Nothing if neither is so:
// what never meant anything is the client's own affair, which has lost its device. At DISPATCH_LEVEL or below.
std::optional<FaultCause> cause_of_fault(Device& device, uint64_t address, uint64_t packet);

// An allocation goes at once because its client promised that nothing queued uses it (AssumeNotInUse). Packets that go
// by GPU addresses disprove that if they fault. Of packets that name it nothing can be said: the client may know from
// its fence that they are done, before the kernel does. Inside of the device's gate.
void judge_promised_idle(Device& device, const Allocation& allocation);

}  // namespace dxgk

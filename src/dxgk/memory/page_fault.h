#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nt/machine/machine_observer.h"
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
  nt::Violation what;
  std::string sentence;
  std::vector<nt::RoleStack> stacks = {};
};

// Why a packet of the device faulted at a GPU virtual address: the address leads to an allocation that is not on the
// device's residency list, or the client gave it up when the packet was queued already. Empty if neither is so: a
// client that uses an address that was never mapped is not judged: it has lost its device. At DISPATCH_LEVEL or
// below.
std::optional<FaultCause> cause_of_fault(Device& device, uint64_t address, uint64_t packet);

// An allocation is destroyed at once because its client promised that nothing queued uses it (AssumeNotInUse). Packets
// that use GPU addresses disprove that if they fault. Packets that name the allocation prove nothing: the client may
// know from its fence that they are done, before the kernel does. With the device's mutex held.
void judge_promised_idle(Device& device, const Allocation& allocation);

}  // namespace dxgk

#pragma once

#include <atomic>
#include <cstdint>

#include "vidmm/manager/residency.h"
#include "vidsch/context.h"

namespace dxgk {

class Device;

// What the scheduler and the video memory manager keep of a device. Owned by the device.
class DeviceQueue {
 public:
  DeviceQueue(Device& device, vidmm::Manager& manager, vidmm::ProcessMemory& process, uint32_t ordinal)
      : owner(device), residency(manager, process, ordinal) {}

  Device& owner;
  vidsch::DeviceState state;         // the scheduler's lock
  vidmm::DeviceResidency residency;  // the memory's lock
  // The memory's lock.
  uint64_t resident_after = 0;  // paging work that has to be done before it runs
  uint64_t contexts_after = 0;  // the same for context allocations, which packets do not name
  bool running = false;         // on the list of those that are prepared
  bool has_run = false;         // a packet went to the hardware since it was prepared
  bool waiting = false;         // for others to leave
};

}  // namespace dxgk

#pragma once

#include <optional>
#include <span>

#include "abi/km/wdm.h"
#include "nt/hardware/device.h"

namespace nt {

class Machine;

// What the Plug and Play manager assigned to a device, in the form that a driver gets: memory ranges and the interrupt.
// It is in the machine's memory until the machine ends.
CM_RESOURCE_LIST* make_resource_list(Machine& machine, std::span<const Device::Range> memory,
                                     std::optional<InterruptLine> line);
// Of a device: its bars in order, and its line. Null when it has neither.
CM_RESOURCE_LIST* make_resource_list(Machine& machine, const Device& device);

}  // namespace nt

#pragma once

#include "abi/km/wdm.h"

namespace nt {

class Machine;

// The bus that the physical device objects of this machine are on, as DevicePropertyBusTypeGuid names it. Our own: it
// behaves like no particular bus.
inline constexpr GUID kBusGuid = {0x5D2D0C18, 0x3C6A, 0x4B0E, {0x9C, 0x1D, 0x44, 0x52, 0x59, 0x44, 0x4F, 0x43}};

// A driver object whose dispatch routines are those of a bus driver for its physical device objects: it completes
// every request. It is in the machine's memory until the machine ends.
DRIVER_OBJECT& make_bus_driver(Machine& machine);

}  // namespace nt

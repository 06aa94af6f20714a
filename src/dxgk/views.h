#pragma once

#include "dxgk/device.h"

namespace dxgk {

// The client loses the handle, and the device the view: it is off its list and out of the ledger. The driver is not
// told. The caller holds a reference; inside of the gate.
void forget(AllocationView& view);
// … with all of its allocations.
void forget(ResourceView& resource);

}  // namespace dxgk

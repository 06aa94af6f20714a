#pragma once

#include "dxgk/object/device.h"

namespace dxgk {

// Closes the client's handle and takes the view off the device's list and out of the ledger. The driver is not told.
// The caller holds a reference; with the mutex held.
void forget(AllocationView& view);
// The same for a resource and all of its allocations.
void forget(ResourceView& resource);

}  // namespace dxgk

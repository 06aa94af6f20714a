#pragma once

#include "abi/km/wdm.h"

namespace nt {

// What the DmaOperations of an adapter point to, by the version of the DEVICE_DESCRIPTION that it was got with.
PDMA_OPERATIONS dma_operations(ULONG version);

}  // namespace nt

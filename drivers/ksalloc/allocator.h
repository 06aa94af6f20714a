// The source pin's allocator: AVStream's four routines over a slab of frames.
#pragma once

#include "common.h"

namespace ksalloc {

extern const KSALLOCATOR_DISPATCH kAllocatorDispatch;

}  // namespace ksalloc

// Leaves the capture pin's frames to the default allocator, and does not ask for system memory.
// FIXED does.
#include "skeleton.h"

static VOID Replace(VOID) {
#ifndef FIXED
  CaptureFraming.FramingItem[0].Flags &= ~KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY;
#endif
}

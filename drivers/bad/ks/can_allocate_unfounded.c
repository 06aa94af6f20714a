// Says of the capture pin, which has no allocator, that it can allocate.
// FIXED does not.
#include "skeleton.h"

static VOID Replace(VOID) {
#ifndef FIXED
  CaptureFraming.FramingItem[0].Flags |= KSALLOCATOR_FLAG_CAN_ALLOCATE;
#endif
}

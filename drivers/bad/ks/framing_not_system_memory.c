// Leaves the frames of the pin that takes them in to the default allocator, and does not ask for system memory.
// FIXED does.
#include "skeleton.h"

static VOID Replace(VOID) {
  Render.Allocator = NULL;
  RenderFraming.FramingItem[0].MemoryType = KSMEMORY_TYPE_DONT_CARE;
#ifndef FIXED
  RenderFraming.FramingItem[0].Flags &= ~KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY;
#endif
}

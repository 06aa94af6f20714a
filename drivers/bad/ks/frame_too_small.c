// Allocates frames of half the size that was agreed on.
// FIXED allocates whole ones.
#include "skeleton.h"

static PVOID Allocate(PVOID Context) {
#ifdef FIXED
  return AllocateFrame(Context);
#else
  return ExAllocatePool2(PoolOf(Context), (BytesOf(Context) + 1) / 2, BAD_TAG);
#endif
}

static VOID Replace(VOID) { Allocator.Allocate = Allocate; }

// Takes its frames from contiguous memory when pool was asked for.
// FIXED takes them from the pool.
#include "skeleton.h"

static PVOID Allocate(PVOID Context) {
#ifdef FIXED
  return AllocateFrame(Context);
#else
  PHYSICAL_ADDRESS Highest;
  Highest.QuadPart = -1;
  return MmAllocateContiguousMemory(BytesOf(Context), Highest);
#endif
}

static VOID Free(PVOID Context, PVOID Frame) {
#ifdef FIXED
  FreeFrame(Context, Frame);
#else
  UNREFERENCED_PARAMETER(Context);
  MmFreeContiguousMemory(Frame);
#endif
}

// With the preference alone any memory would do.
static VOID Replace(VOID) {
  RenderFraming.FramingItem[0].Flags &= ~KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY;
  Allocator.Allocate = Allocate;
  Allocator.Free = Free;
}

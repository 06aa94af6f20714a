// Its allocator will be there later, it says.
// FIXED makes it at once.
#include "skeleton.h"

static NTSTATUS Initialize(PKSPIN Pin, PKSALLOCATOR_FRAMING Framing, PVOID* Context) {
#ifdef FIXED
  return InitializeAllocator(Pin, Framing, Context);
#else
  UNREFERENCED_PARAMETER(Pin);
  UNREFERENCED_PARAMETER(Framing);
  UNREFERENCED_PARAMETER(Context);
  return STATUS_PENDING;
#endif
}

static VOID Replace(VOID) { Allocator.InitializeAllocator = Initialize; }

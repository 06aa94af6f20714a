// An allocator over contiguous memory, as for DMA, on a pin that prefers system memory and does not require it.
#include "skeleton.h"

static PVOID AllocateContiguous(PVOID Context) {
  PHYSICAL_ADDRESS Highest;

  Highest.QuadPart = MAXLONGLONG;
  return MmAllocateContiguousMemory(BytesOf(Context), Highest);
}

static VOID FreeContiguous(PVOID Context, PVOID Frame) {
  UNREFERENCED_PARAMETER(Context);
  MmFreeContiguousMemory(Frame);
}

static VOID Replace(VOID) {
  Allocator.Allocate = AllocateContiguous;
  Allocator.Free = FreeContiguous;
}

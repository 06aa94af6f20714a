// Frees contiguous memory as half as large as it is.
// FIXED frees it with its own size.
#include "skeleton.h"

#define BUFFER_BYTES (2 * PAGE_SIZE)

static NTSTATUS Start(VOID) {
  PHYSICAL_ADDRESS Lowest, Highest, Boundary;
  PVOID Buffer;

  Lowest.QuadPart = 0;
  Highest.QuadPart = -1;
  Boundary.QuadPart = 0;
  Buffer = MmAllocateContiguousMemorySpecifyCache(BUFFER_BYTES, Lowest, Highest, Boundary, MmCached);
  if (Buffer == NULL) return STATUS_INSUFFICIENT_RESOURCES;
#ifdef FIXED
  MmFreeContiguousMemorySpecifyCache(Buffer, BUFFER_BYTES, MmCached);
#else
  MmFreeContiguousMemorySpecifyCache(Buffer, BUFFER_BYTES / 2, MmCached);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

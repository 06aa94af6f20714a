// Allocates with a tag of zero.
// FIXED has a tag.
#include "skeleton.h"

static PVOID Block;

static NTSTATUS Start(VOID) {
#ifdef FIXED
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, BAD_TAG);
#else
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 0);
#endif
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) { ExFreePool(Block); }

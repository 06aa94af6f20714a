// Asks for a block that is paged and non-paged at once.
// FIXED asks for a non-paged one.
#include "skeleton.h"

static PVOID Block;

static NTSTATUS Start(VOID) {
#ifdef FIXED
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, BAD_TAG);
#else
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_PAGED, 64, BAD_TAG);
#endif
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) { ExFreePool(Block); }

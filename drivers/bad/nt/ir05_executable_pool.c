// Keeps data in memory from which instructions could be executed.
// FIXED takes memory without that right.
#include "skeleton.h"

static PVOID Block;

static NTSTATUS Start(VOID) {
#ifdef FIXED
  Block = ExAllocatePoolWithTag(NonPagedPoolNx, 64, BAD_TAG);
#else
  Block = ExAllocatePoolWithTag(NonPagedPool, 64, BAD_TAG);
#endif
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) { ExFreePoolWithTag(Block, BAD_TAG); }

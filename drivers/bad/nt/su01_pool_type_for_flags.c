// Gives ExAllocatePool2 a POOL_TYPE, which its predecessors took: it is a set of flags without a type of pool.
// FIXED gives it the flag.
#include "skeleton.h"

static PVOID Block;

static NTSTATUS Start(VOID) {
#ifdef FIXED
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, BAD_TAG);
#else
  Block = ExAllocatePool2((POOL_FLAGS)NonPagedPoolNx, 64, BAD_TAG);
#endif
  return Block != NULL ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static VOID Stop(VOID) { ExFreePoolWithTag(Block, BAD_TAG); }

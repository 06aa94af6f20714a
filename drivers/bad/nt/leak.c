// Never frees the block that it has allocated.
// FIXED frees it when it is unloaded.
#include "skeleton.h"

#define BLOCK_BYTES 64

static PUCHAR Block;

static NTSTATUS Start(VOID) {
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, BLOCK_BYTES, BAD_TAG);
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) {
#ifdef FIXED
  ExFreePoolWithTag(Block, BAD_TAG);
#endif
}

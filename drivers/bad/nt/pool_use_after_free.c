// Writes to a block that it has freed.
// FIXED writes first.
#include "skeleton.h"

#define BLOCK_BYTES 64

static PUCHAR Block;

static NTSTATUS Start(VOID) {
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, BLOCK_BYTES, BAD_TAG);
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) {
#ifdef FIXED
  Block[0] = 1;
  ExFreePoolWithTag(Block, BAD_TAG);
#else
  ExFreePoolWithTag(Block, BAD_TAG);
  Block[0] = 1;
#endif
}

// Writes the byte behind a block.
// FIXED stops at the last one.
#include "skeleton.h"

#define BLOCK_BYTES 64

static PUCHAR Block;

static NTSTATUS Start(VOID) {
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, BLOCK_BYTES, BAD_TAG);
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) {
  ULONG Last = BLOCK_BYTES;
#ifdef FIXED
  Last = BLOCK_BYTES - 1;
#endif
  Block[Last] = 1;
  ExFreePoolWithTag(Block, BAD_TAG);
}

// Frees a block twice.
// FIXED frees it once.
#include "skeleton.h"

#define BLOCK_BYTES 64

static PUCHAR Block;

static NTSTATUS Start(VOID) {
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, BLOCK_BYTES, BAD_TAG);
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) {
  ExFreePoolWithTag(Block, BAD_TAG);
#ifndef FIXED
  ExFreePoolWithTag(Block, BAD_TAG);
#endif
}

// Reads the byte behind a block: nothing but AddressSanitizer sees that.
// FIXED stops at the last one.
#include "skeleton.h"

#define BLOCK_BYTES 64

static PUCHAR Block;

static NTSTATUS Start(VOID) {
  Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, BLOCK_BYTES, BAD_TAG);
  return Block != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) {
  ULONG Count = BLOCK_BYTES + 1;
  ULONG Sum = 0;
  ULONG i;
#ifdef FIXED
  Count = BLOCK_BYTES;
#endif
  for (i = 0; i < Count; i++) Sum += Block[i];
  DbgPrint("sum %u\n", Sum);
  ExFreePoolWithTag(Block, BAD_TAG);
}

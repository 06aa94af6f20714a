// Frees a tagged block with the tag 0, which ExFreePoolWithTag takes for any tag.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PVOID Block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 40, BAD_TAG);
  if (Block == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  ExFreePoolWithTag(Block, 0);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

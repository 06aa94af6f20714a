// Frees a block with a resource in it.
// FIXED deletes the resource before.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PERESOURCE Resource = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(ERESOURCE), BAD_TAG);

  if (Resource == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  ExInitializeResourceLite(Resource);
#ifdef FIXED
  ExDeleteResourceLite(Resource);
#endif
  ExFreePoolWithTag(Resource, BAD_TAG);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

// Does not look whether its allocation failed.
// FIXED does.
#include "skeleton.h"

static PLIST_ENTRY Head;

static NTSTATUS Start(VOID) {
  Head = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(LIST_ENTRY), BAD_TAG);
#ifdef FIXED
  if (Head == NULL) return STATUS_INSUFFICIENT_RESOURCES;
#endif
  InitializeListHead(Head);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { ExFreePoolWithTag(Head, BAD_TAG); }

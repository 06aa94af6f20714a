// Frees a block with a lookaside list in it.
// FIXED deletes the list before.
#include "skeleton.h"

static PLOOKASIDE_LIST_EX List;

static NTSTATUS Start(VOID) {
  NTSTATUS Status;

  List = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(LOOKASIDE_LIST_EX), BAD_TAG);
  if (List == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Status = ExInitializeLookasideListEx(List, NULL, NULL, NonPagedPoolNx, 0, 64, BAD_TAG, 0);
  if (!NT_SUCCESS(Status)) ExFreePoolWithTag(List, BAD_TAG);
  return Status;
}

static VOID Stop(VOID) {
#ifdef FIXED
  ExDeleteLookasideListEx(List);
#endif
  ExFreePoolWithTag(List, BAD_TAG);
}

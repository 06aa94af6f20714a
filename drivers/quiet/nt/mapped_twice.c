// Maps one MDL for a client twice, and unmaps it twice.
#include "skeleton.h"

static PMDL Mdl;
static PVOID First, Second;

static VOID Stop(VOID) {
  if (Second != NULL) MmUnmapLockedPages(Second, Mdl);
  if (First != NULL) MmUnmapLockedPages(First, Mdl);
  MmFreePagesFromMdl(Mdl);
  ExFreePool(Mdl);
}

static NTSTATUS Start(VOID) {
  PHYSICAL_ADDRESS Low = {.QuadPart = 0}, High = {.QuadPart = -1}, Skip = {.QuadPart = 0};
  NTSTATUS Status = STATUS_SUCCESS;

  First = Second = NULL;
  Mdl = MmAllocatePagesForMdlEx(Low, High, Skip, 2 * PAGE_SIZE, MmCached, MM_ALLOCATE_FULLY_REQUIRED);
  if (Mdl == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  __try {
    First = MmMapLockedPagesSpecifyCache(Mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority);
    Second = MmMapLockedPagesSpecifyCache(Mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    Status = GetExceptionCode();
  }
  if (NT_SUCCESS(Status) && (First == NULL || Second == NULL)) Status = STATUS_INSUFFICIENT_RESOURCES;
  if (!NT_SUCCESS(Status)) Stop();
  return Status;
}

// Frees the pages of an MDL that is still mapped for the client.
// FIXED undoes the mapping first.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PHYSICAL_ADDRESS Lowest, Highest, Skip;
  PVOID Mapping;
  PMDL Mdl;

  Lowest.QuadPart = 0;
  Highest.QuadPart = -1;
  Skip.QuadPart = 0;
  Mdl = MmAllocatePagesForMdlEx(Lowest, Highest, Skip, PAGE_SIZE, MmCached, MM_ALLOCATE_FULLY_REQUIRED);
  if (Mdl == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  __try {
    Mapping = MmMapLockedPagesSpecifyCache(Mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    Mapping = NULL;
  }
#ifdef FIXED
  if (Mapping != NULL) MmUnmapLockedPages(Mapping, Mdl);
  MmFreePagesFromMdl(Mdl);
#else
  MmFreePagesFromMdl(Mdl);
  if (Mapping != NULL) {
    MmUnmapLockedPages(Mapping, Mdl);
    MmFreePagesFromMdl(Mdl);
  }
#endif
  ExFreePool(Mdl);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

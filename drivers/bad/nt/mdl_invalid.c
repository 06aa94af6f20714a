// Describes paged pool with MmBuildMdlForNonPagedPool.
// FIXED takes nonpaged pool.
#include "skeleton.h"

#ifdef FIXED
#define BUFFER_POOL POOL_FLAG_NON_PAGED
#else
#define BUFFER_POOL POOL_FLAG_PAGED
#endif

static NTSTATUS Start(VOID) {
  PVOID Buffer = ExAllocatePool2(BUFFER_POOL, PAGE_SIZE, BAD_TAG);
  PMDL Mdl;

  if (Buffer == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Mdl = IoAllocateMdl(Buffer, PAGE_SIZE, FALSE, FALSE, NULL);
  if (Mdl != NULL) {
    MmBuildMdlForNonPagedPool(Mdl);
    IoFreeMdl(Mdl);
  }
  ExFreePoolWithTag(Buffer, BAD_TAG);
  return Mdl != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) {}

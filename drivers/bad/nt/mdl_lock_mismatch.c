// Unlocks the pages of an MDL a second time.
// FIXED unlocks them once.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PVOID Buffer = ExAllocatePool2(POOL_FLAG_PAGED, PAGE_SIZE, BAD_TAG);
  NTSTATUS Status = STATUS_INSUFFICIENT_RESOURCES;
  PMDL Mdl;

  if (Buffer == NULL) return Status;
  Mdl = IoAllocateMdl(Buffer, PAGE_SIZE, FALSE, FALSE, NULL);
  if (Mdl != NULL) {
    Status = STATUS_SUCCESS;
    __try {
      MmProbeAndLockPages(Mdl, KernelMode, IoWriteAccess);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
      Status = GetExceptionCode();
    }
    if (NT_SUCCESS(Status)) {
      MmUnlockPages(Mdl);
#ifndef FIXED
      MmUnlockPages(Mdl);
#endif
    }
    IoFreeMdl(Mdl);
  }
  ExFreePoolWithTag(Buffer, BAD_TAG);
  return Status;
}

static VOID Stop(VOID) {}

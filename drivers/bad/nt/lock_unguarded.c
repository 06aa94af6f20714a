// Locks the pages of a buffer without a __try, though there may be no memory for it.
// FIXED has one.
#include "skeleton.h"

static PMDL Mdl;

static NTSTATUS Lock(VOID) {
#ifdef FIXED
  __try {
    MmProbeAndLockPages(Mdl, KernelMode, IoWriteAccess);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    return GetExceptionCode();
  }
#else
  MmProbeAndLockPages(Mdl, KernelMode, IoWriteAccess);
#endif
  return STATUS_SUCCESS;
}

static NTSTATUS Start(VOID) {
  static UCHAR Buffer[64];
  NTSTATUS Status;

  Mdl = IoAllocateMdl(Buffer, sizeof(Buffer), FALSE, FALSE, NULL);
  if (Mdl == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Status = Lock();
  if (!NT_SUCCESS(Status)) IoFreeMdl(Mdl);
  return Status;
}

static VOID Stop(VOID) {
  MmUnlockPages(Mdl);
  IoFreeMdl(Mdl);
}

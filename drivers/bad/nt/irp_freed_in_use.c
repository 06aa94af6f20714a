// Frees an IRP twice.
// FIXED frees it once.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PIRP Irp = IoAllocateIrp(1, FALSE);

  if (Irp == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  IoFreeIrp(Irp);
#ifndef FIXED
  IoFreeIrp(Irp);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

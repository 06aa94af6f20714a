// DriverEntry returns at DISPATCH_LEVEL.
// FIXED goes back to the IRQL it was called at.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  KIRQL OldIrql;

  KeRaiseIrql(DISPATCH_LEVEL, &OldIrql);
#ifdef FIXED
  KeLowerIrql(OldIrql);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

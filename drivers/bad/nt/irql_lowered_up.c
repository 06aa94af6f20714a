// Raises the IRQL with KeLowerIrql.
// FIXED raises it with KeRaiseIrql and lowers it to what that returned.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  KIRQL OldIrql = PASSIVE_LEVEL;

#ifdef FIXED
  KeRaiseIrql(DISPATCH_LEVEL, &OldIrql);
#else
  KeLowerIrql(DISPATCH_LEVEL);
#endif
  KeLowerIrql(OldIrql);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

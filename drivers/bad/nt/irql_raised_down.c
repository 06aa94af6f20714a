// Wants to go from DISPATCH_LEVEL to APC_LEVEL, and asks KeRaiseIrql for it.
// FIXED goes up in order, and down by KeLowerIrql.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  KIRQL Outer, Inner;

#ifdef FIXED
  KeRaiseIrql(APC_LEVEL, &Outer);
  KeRaiseIrql(DISPATCH_LEVEL, &Inner);
#else
  KeRaiseIrql(DISPATCH_LEVEL, &Outer);
  KeRaiseIrql(APC_LEVEL, &Inner);
#endif
  KeLowerIrql(Inner);
  KeLowerIrql(Outer);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

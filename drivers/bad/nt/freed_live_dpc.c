// Frees a block with a queued DPC in it: at DISPATCH_LEVEL its processor cannot have run it yet.
// FIXED takes the DPC off the queue first.
#include "skeleton.h"

static VOID Deferred(PKDPC Dpc, PVOID Context, PVOID Argument1, PVOID Argument2) {
  UNREFERENCED_PARAMETER(Dpc);
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Argument1);
  UNREFERENCED_PARAMETER(Argument2);
}

static NTSTATUS Start(VOID) {
  KIRQL OldIrql;
  PKDPC Dpc;

  Dpc = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KDPC), BAD_TAG);
  if (Dpc == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  KeInitializeDpc(Dpc, Deferred, NULL);
  KeRaiseIrql(DISPATCH_LEVEL, &OldIrql);
  KeInsertQueueDpc(Dpc, NULL, NULL);
#ifdef FIXED
  KeRemoveQueueDpc(Dpc);
#endif
  ExFreePoolWithTag(Dpc, BAD_TAG);
  KeLowerIrql(OldIrql);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

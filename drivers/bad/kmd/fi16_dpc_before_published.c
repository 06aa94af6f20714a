// Lets its interrupt routine queue DPCs before the structure is there that they use.
// FIXED has the structure first.
#include "on_softgpu_callbacks.h"

typedef struct DEFERRED {
  volatile LONG Calls;
} DEFERRED;

static DEFERRED TheDeferred;
static DEFERRED* volatile Deferred;

static NTSTATUS StartThenPublish(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                                 PULONG Children) {
  NTSTATUS Status = StartBetween(Adapter, Info, Kernel, Sources, Children);
  Deferred = &TheDeferred;
  return Status;
}

static BOOLEAN InterruptAndDefer(const PVOID Adapter, ULONG Message) {
  BOOLEAN Mine = Good.DxgkDdiInterruptRoutine(Adapter, Message);
  if (Dxgk.DxgkCbQueueDpc != NULL) Dxgk.DxgkCbQueueDpc(Dxgk.DeviceHandle);
  return Mine;
}

static VOID DpcAndCount(const PVOID Adapter) {
  InterlockedIncrement(&Deferred->Calls);
  Good.DxgkDdiDpcRoutine(Adapter);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {}
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
#ifdef FIXED
  Deferred = &TheDeferred;
#endif
  Table->DxgkDdiStartDevice = StartThenPublish;
  Table->DxgkDdiInterruptRoutine = InterruptAndDefer;
  Table->DxgkDdiDpcRoutine = DpcAndCount;
}

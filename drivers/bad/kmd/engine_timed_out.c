// Reports nothing of its engines any more after the tenth fence, until one of them is reset.
// FIXED goes on.
#include "on_softgpu_callbacks.h"

static volatile LONG Fences;

static VOID NotifyAtFirst(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA Data) {
  BOOLEAN Silent = InterlockedIncrement(&Fences) > 10;
#ifdef FIXED
  Silent = FALSE;
#endif
  if (!Silent) Dxgk.DxgkCbNotifyInterrupt(Adapter, Data);
}

static NTSTATUS ResetAndGoOn(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_RESETENGINE Args) {
  NTSTATUS Status = Good.DxgkDdiResetEngine(Adapter, Args);
  InterlockedExchange(&Fences, MINLONG);
  return Status;
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyAtFirst; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiResetEngine = ResetAndGoOn;
}

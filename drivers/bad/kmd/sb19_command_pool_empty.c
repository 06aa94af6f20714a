// Has one command for each engine, and does not look whether it is free.
// FIXED has as many as can be in the hardware.
#include "on_softgpu_fences.h"

typedef struct COMMAND {
  volatile UINT Fence;
} COMMAND;

static COMMAND Commands[SOFTGPU_ENGINES];

// NULL: all are in use.
static COMMAND* TakeCommand(UINT Node) {
#ifndef FIXED
  if (IsBusy(Node)) return NULL;
#endif
  return &Commands[Node];
}

static NTSTATUS SubmitCommandOf(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
  TakeCommand(Args->NodeOrdinal)->Fence = Args->SubmissionFenceId;
  return SubmitAndNote(Adapter, Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbNotifyInterrupt = NotifyAndNote; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiSubmitCommandVirtual = SubmitCommandOf;
}

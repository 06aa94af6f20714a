// Puts the fence of a submission into the ring before its commands as well: it is reported while they still run.
// FIXED has it behind them only.
#include "on_softgpu.h"

static NTSTATUS SubmitFenceFirst(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
#ifndef FIXED
  if (!Args->Flags.Paging) {
    DXGKARG_SUBMITCOMMANDVIRTUAL Fence = *Args;
    Fence.DmaBufferSize = 0;
    Good.DxgkDdiSubmitCommandVirtual(Adapter, &Fence);
  }
#endif
  return Good.DxgkDdiSubmitCommandVirtual(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiSubmitCommandVirtual = SubmitFenceFirst; }

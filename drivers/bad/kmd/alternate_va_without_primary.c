// Wants a second address for all that the CPU sees.
// FIXED does without: there is no primary here.
#include "on_softgpu.h"

static NTSTATUS CreateWithSecondAddress(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = Good.DxgkDdiCreateAllocation(Adapter, Args);
#ifndef FIXED
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    Args->pAllocationInfo[i].Flags.UseAlternateVA = Args->pAllocationInfo[i].Flags.CpuVisible;
  }
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateWithSecondAddress; }

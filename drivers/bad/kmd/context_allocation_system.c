// Wants memory for the system's own context, too.
// FIXED wants it for clients' contexts only.
#include "skeleton.h"

static NTSTATUS CreateWithMemory(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
#ifndef FIXED
  DXGKARGCB_CREATECONTEXTALLOCATION Memory = {.hAdapter = Dxgk.DeviceHandle, .hContext = Args->hContext};
  Memory.Size = Memory.Alignment = PAGE_SIZE;
  Memory.SupportedSegmentSet = SET_OF(APERTURE_SEGMENT);
  if (Args->Flags.SystemContext) Dxgk.DxgkCbCreateContextAllocation(&Memory);
#endif
  return CreateContext(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateContext = CreateWithMemory; }

// Wants the DMA buffers of its contexts in local memory.
// FIXED takes them where they are.
#include "on_softgpu.h"

static NTSTATUS CreateInLocalMemory(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  NTSTATUS Status = Good.DxgkDdiCreateContext(Device, Args);
#ifndef FIXED
  if (!Args->Flags.SystemContext) Args->ContextInfo.DmaBufferSegmentSet = 1u << (SOFTGPU_SEGMENT_LOCAL - 1);
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateContext = CreateInLocalMemory; }

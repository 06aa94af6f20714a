// Clears the private data of every DMA buffer and a little more.
// FIXED clears no more than there are.
#include "on_softgpu.h"

static NTSTATUS CreateWithPrivateData(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  NTSTATUS Status = Good.DxgkDdiCreateContext(Device, Args);
  Args->ContextInfo.DmaBufferPrivateDataSize = 64;
  return Status;
}

static NTSTATUS ClearAndRender(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
#ifdef FIXED
  RtlZeroMemory(Args->pDmaBufferPrivateData, Args->DmaBufferPrivateDataSize);
#else
  RtlZeroMemory(Args->pDmaBufferPrivateData, Args->DmaBufferPrivateDataSize + 8);
#endif
  return Good.DxgkDdiRender(Context, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateContext = CreateWithPrivateData;
  Table->DxgkDdiRender = ClearAndRender;
}

// Says of every DMA buffer that it is full, and a packet more.
// FIXED says what it has written.
#include "on_softgpu.h"

static NTSTATUS RenderTooMuch(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
#ifdef FIXED
  return Good.DxgkDdiRender(Context, Args);
#else
  UCHAR* Begin = Args->pDmaBuffer;
  NTSTATUS Status = Good.DxgkDdiRender(Context, Args);
  if (NT_SUCCESS(Status)) Args->pDmaBuffer = Begin + Args->DmaSize + 8;
  return Status;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRender = RenderTooMuch; }

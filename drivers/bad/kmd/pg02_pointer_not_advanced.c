// Writes the commands that flush the TLB, and leaves pDmaBuffer where it was: the next operation overwrites them.
// FIXED moves it.
#include "on_softgpu.h"

static NTSTATUS BuildAndStay(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  PVOID Next = Args->pDmaBuffer;
  NTSTATUS Status = Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
#ifdef FIXED
  Next = Args->pDmaBuffer;
#endif
  if (Args->Operation == DXGK_OPERATION_FLUSH_TLB) Args->pDmaBuffer = Next;
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildAndStay; }

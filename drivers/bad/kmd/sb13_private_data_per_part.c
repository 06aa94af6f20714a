// Notes each part of a present in the private data of the DMA buffer, however many there are.
// FIXED notes as many as there is room for.
#include "on_softgpu.h"

#define ROOM 8

static NTSTATUS CreateWithPrivateData(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  NTSTATUS Status = Good.DxgkDdiCreateContext(Device, Args);
  Args->ContextInfo.DmaBufferPrivateDataSize = ROOM * sizeof(LONG);
  return Status;
}

static NTSTATUS PresentAndNote(IN_CONST_HANDLE Context, INOUT_PDXGKARG_PRESENT Args) {
  volatile LONG* Notes = Args->pDmaBufferPrivateData;
  for (UINT i = 0; i < Args->SubRectCnt; ++i) {
#ifdef FIXED
    if (i == ROOM) break;
#endif
    Notes[i] = Args->pDstSubRects[i].left;
  }
  return Good.DxgkDdiPresent(Context, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateContext = CreateWithPrivateData;
  Table->DxgkDdiPresent = PresentAndNote;
}

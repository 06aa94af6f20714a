// Notes in the private data of the paging buffer whose memory is prepared, without looking how much of them is left.
// FIXED looks.
#include "on_softgpu.h"

#define NOTE_BYTES 64

static NTSTATUS WantPrivateData(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = Good.DxgkDdiQueryAdapterInfo(Adapter, Query);
  DXGK_QUERYSEGMENTOUT4* Out = Query->pOutputData;
  if (Query->Type == DXGKQAITYPE_QUERYSEGMENT4 && Out->pSegmentDescriptor != NULL) {
    Out->PagingBufferPrivateDataSize = NOTE_BYTES;
  }
  return Status;
}

static NTSTATUS BuildWithNote(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  if (Args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) {
#ifdef FIXED
    if (Args->DmaBufferPrivateDataSize < NOTE_BYTES) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    Args->pDmaBufferPrivateData = (UCHAR*)Args->pDmaBufferPrivateData + NOTE_BYTES;
#else
    Args->pDmaBufferPrivateData = (UCHAR*)Args->pDmaBufferPrivateData + Args->DmaBufferPrivateDataSize + 1;
    return STATUS_SUCCESS;
#endif
  }
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiQueryAdapterInfo = WantPrivateData;
  Table->DxgkDdiBuildPagingBuffer = BuildWithNote;
}

// Describes each fill in the private data of the paging buffer, and does not move the pointer past that: the submission
// shows none of it.
// FIXED moves it.
#include "on_softgpu.h"

#define NOTE_BYTES 16

static NTSTATUS WantPrivateData(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = Good.DxgkDdiQueryAdapterInfo(Adapter, Query);
  DXGK_QUERYSEGMENTOUT4* Out = Query->pOutputData;
  if (Query->Type == DXGKQAITYPE_QUERYSEGMENT4 && Out->pSegmentDescriptor != NULL) {
    Out->PagingBufferPrivateDataSize = 64 * NOTE_BYTES;
  }
  return Status;
}

static NTSTATUS BuildWithNote(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  NTSTATUS Status = Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
  if (!NT_SUCCESS(Status) || Args->Operation != DXGK_OPERATION_INIT_CONTEXT_RESOURCE) return Status;
  if (Args->DmaBufferPrivateDataSize < NOTE_BYTES) return Status;
  RtlFillMemory(Args->pDmaBufferPrivateData, NOTE_BYTES, 0x5A);
#ifdef FIXED
  Args->pDmaBufferPrivateData = (UCHAR*)Args->pDmaBufferPrivateData + NOTE_BYTES;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiQueryAdapterInfo = WantPrivateData;
  Table->DxgkDdiBuildPagingBuffer = BuildWithNote;
}

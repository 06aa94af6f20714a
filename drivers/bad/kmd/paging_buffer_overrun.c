// Moves pDmaBuffer behind the room that it was given when the memory of a context is prepared.
// FIXED stays within it.
#include "on_softgpu.h"

static NTSTATUS BuildTooMuch(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
#ifndef FIXED
  if (Args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) {
    Args->pDmaBuffer = (UCHAR*)Args->pDmaBuffer + Args->DmaSize + 8;
    return STATUS_SUCCESS;
  }
#endif
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildTooMuch; }

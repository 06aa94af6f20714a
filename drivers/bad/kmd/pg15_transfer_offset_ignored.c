// Begins every part of a transfer at the start of the allocation.
// FIXED begins it at TransferOffset.
#include "on_softgpu_paging.h"

static NTSTATUS BuildFromStart(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  DXGKARG_BUILDPAGINGBUFFER Mine = *Args;
#ifndef FIXED
  if (Args->Operation == DXGK_OPERATION_TRANSFER) Mine.Transfer.TransferOffset = 0;
#endif
  return BuildFrom(Adapter, &Mine, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildFromStart; }

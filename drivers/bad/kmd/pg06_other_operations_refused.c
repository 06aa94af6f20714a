// Returns STATUS_NOT_SUPPORTED for operations that it has nothing to do for.
// FIXED does nothing, and succeeds.
#include "on_softgpu.h"

static NTSTATUS BuildOrRefuse(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
#ifndef FIXED
  if (Args->Operation == DXGK_OPERATION_DISCARD_CONTENT) return STATUS_NOT_SUPPORTED;
#endif
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildOrRefuse; }

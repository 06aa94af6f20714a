// Says of the memory of a context, before anybody can have used it, that the GPU does.
// FIXED prepares it.
#include "on_softgpu.h"

static NTSTATUS BuildLater(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
#ifndef FIXED
  if (Args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) return STATUS_GRAPHICS_ALLOCATION_BUSY;
#endif
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildLater; }

// Always wants a larger buffer to prepare the memory of a context.
// FIXED takes what it gets.
#include "on_softgpu.h"

static NTSTATUS BuildNever(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
#ifndef FIXED
  if (Args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
#endif
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildNever; }

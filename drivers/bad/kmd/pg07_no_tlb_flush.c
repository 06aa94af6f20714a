// Knows no operation that flushes the TLB.
// FIXED flushes it.
#include "on_softgpu.h"

static NTSTATUS BuildKnown(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
#ifndef FIXED
  if (Args->Operation == DXGK_OPERATION_FLUSH_TLB) return STATUS_NOT_IMPLEMENTED;
#endif
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildKnown; }

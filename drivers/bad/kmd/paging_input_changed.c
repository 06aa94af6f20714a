// Turns the end of the range whose TLB entries are flushed into its size, in the argument itself.
// FIXED leaves the argument alone.
#include "on_softgpu.h"

static NTSTATUS BuildAndChange(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  NTSTATUS Status = Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
#ifndef FIXED
  if (Args->Operation == DXGK_OPERATION_FLUSH_TLB) {
    Args->FlushTlb.EndVirtualAddress -= Args->FlushTlb.StartVirtualAddress;
  }
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildAndChange; }

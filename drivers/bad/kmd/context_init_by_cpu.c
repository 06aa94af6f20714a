// Prepares the memory of a context by the CPU, although it did not ask for memory that the CPU sees.
// FIXED looks whether the CPU sees it.
#include "on_softgpu.h"

static NTSTATUS BuildByCpu(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  if (Args->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE) {
    volatile UCHAR* Memory = Args->InitContextResource.Destination.VirtualAddress;
#ifdef FIXED
    if (Memory != NULL)
#endif
      *Memory = 0;
  }
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildByCpu; }

// Writes as many page table entries as fit into the paging buffer, and says that it has written all of them.
// FIXED asks for another buffer.
#include "on_softgpu.h"

static NTSTATUS BuildInOnePass(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  UCHAR* Begin = Args->pDmaBuffer;
  NTSTATUS Status = Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
  BOOLEAN Enough = Args->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && Args->pDmaBuffer != Begin;
#ifdef FIXED
  Enough = FALSE;
#endif
  return Enough ? STATUS_SUCCESS : Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildInOnePass; }

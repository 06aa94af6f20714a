// Answers in DmaSize how much it has written.
// FIXED answers how much room is left.
#include "on_softgpu.h"

static NTSTATUS BuildAndCount(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  UCHAR* Begin = Args->pDmaBuffer;
  NTSTATUS Status = Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
  UINT Written = (UINT)((UCHAR*)Args->pDmaBuffer - Begin);
#ifdef FIXED
  Args->DmaSize -= Written;
#else
  Args->DmaSize = Written;
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildAndCount; }

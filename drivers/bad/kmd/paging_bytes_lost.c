// Writes a packet behind each operation and does not move pDmaBuffer past it.
// FIXED does.
#include "on_softgpu.h"
#include "softgpu_cmd.h"

static NTSTATUS BuildWithEnd(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  SOFTGPU_HEADER Nothing = softgpu_header(SOFTGPU_CMD_NOP, 0, sizeof(Nothing), 0);
  UCHAR* Begin = Args->pDmaBuffer;
  NTSTATUS Status = Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
  UCHAR* End = Args->pDmaBuffer;
  if (!NT_SUCCESS(Status) || Args->DmaSize - (UINT)(End - Begin) < sizeof(Nothing)) return Status;
  RtlCopyMemory(End, &Nothing, sizeof(Nothing));
#ifdef FIXED
  Args->pDmaBuffer = End + sizeof(Nothing);
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildWithEnd; }

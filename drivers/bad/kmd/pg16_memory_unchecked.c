// Needs memory to build a paging buffer, and does not look whether it got any.
// FIXED does without it then.
#include "on_softgpu.h"

static NTSTATUS BuildWithNotes(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  volatile UINT* Notes = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(UINT), 'toND');
#ifdef FIXED
  if (Notes == NULL) return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
#endif
  *Notes = Args->MultipassOffset;
  ExFreePoolWithTag((PVOID)Notes, 'toND');
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildWithNotes; }

// Looks at the allocation of every paging operation; the memory manager also moves what is none.
// FIXED looks whether there is one.
#include "on_softgpu.h"

static volatile UCHAR FirstByte;

static NTSTATUS BuildAndLook(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  BOOLEAN Named = Args->Operation == DXGK_OPERATION_TRANSFER || Args->Operation == DXGK_OPERATION_FILL ||
                  Args->Operation == DXGK_OPERATION_DISCARD_CONTENT;
  const volatile UCHAR* Allocation = Args->Transfer.hAllocation;  // first in all of them
#ifdef FIXED
  Named = Named && Allocation != NULL;
#endif
  if (Named) FirstByte = *Allocation;
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildAndLook; }

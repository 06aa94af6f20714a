// Takes it for granted that a paging buffer has room for one more packet, of a kilobyte at most.
// FIXED looks at DmaSize.
#include "on_softgpu_paging.h"

static NTSTATUS BuildBlindly(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  DXGKARG_BUILDPAGINGBUFFER Mine = *Args;
#ifndef FIXED
  if (Mine.pDmaBuffer != NULL && Mine.DmaSize < 1024) Mine.DmaSize = 1024;
#endif
  return BuildFrom(Adapter, &Mine, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildBlindly; }

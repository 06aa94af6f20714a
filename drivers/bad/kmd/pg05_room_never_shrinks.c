// Takes the largest DmaSize that it has seen for the size of every paging buffer, wherever in it an operation begins.
// FIXED takes DmaSize for what is left.
#include "on_softgpu_paging.h"

static UINT Largest;

static NTSTATUS BuildInAll(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  DXGKARG_BUILDPAGINGBUFFER Mine = *Args;
  if (Largest < Args->DmaSize) Largest = Args->DmaSize;
#ifndef FIXED
  Mine.DmaSize = Largest;
#endif
  return BuildFrom(Adapter, &Mine, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildInAll; }

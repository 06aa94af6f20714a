// Waits for the hardware's response to a destruction, and keeps the response.
// FIXED frees it.
#include "on_softgpu.h"

static NTSTATUS DestroyAndKeep(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  PVOID Response = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 'pseR');
#ifdef FIXED
  if (Response != NULL) ExFreePoolWithTag(Response, 'pseR');
#else
  UNREFERENCED_PARAMETER(Response);
#endif
  return Good.DxgkDdiDestroyAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiDestroyAllocation = DestroyAndKeep; }

// Gives the data of a handle back at both ends of its look at it.
// FIXED gives it back once.
#include "skeleton.h"

static VOID LookAt(D3DKMT_HANDLE Allocation) {
  DXGKARGCB_GETHANDLEDATA Wanted = {.hObject = Allocation, .Type = DXGK_HANDLE_ALLOCATION};
  DXGKARGCB_RELEASEHANDLEDATA Acquired = {.Type = DXGK_HANDLE_ALLOCATION};
  if (Dxgk.DxgkCbAcquireHandleData(&Wanted, &Acquired.ReleaseHandle) == NULL) return;
  Dxgk.DxgkCbReleaseHandleData(Acquired);
#ifndef FIXED
  Dxgk.DxgkCbReleaseHandleData(Acquired);
#endif
}

static NTSTATUS LookAndOpen(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) LookAt(Args->pOpenAllocation[i].hAllocation);
  return OpenAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiOpenAllocation = LookAndOpen; }

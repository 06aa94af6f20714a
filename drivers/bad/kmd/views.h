// The skeleton with views that know their allocation: what hAllocation of DxgkDdiCreateAllocation points to.
#pragma once

#include "skeleton.h"

// An allocation that is being opened must be acquired; it is the driver's own, so that it need not be held.
static inline HANDLE AllocationOf(D3DKMT_HANDLE Handle) {
  DXGKARGCB_GETHANDLEDATA Wanted = {.hObject = Handle, .Type = DXGK_HANDLE_ALLOCATION};
  DXGKARGCB_RELEASEHANDLEDATA Acquired = {.Type = DXGK_HANDLE_ALLOCATION};
  HANDLE Allocation = Dxgk.DxgkCbAcquireHandleData(&Wanted, &Acquired.ReleaseHandle);
  if (Acquired.ReleaseHandle != NULL) Dxgk.DxgkCbReleaseHandleData(Acquired);
  return Allocation;
}

static inline NTSTATUS OpenViews(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  NTSTATUS Status = OpenAllocation(Device, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    *(HANDLE*)Args->pOpenAllocation[i].hDeviceSpecificAllocation = AllocationOf(Args->pOpenAllocation[i].hAllocation);
  }
  return Status;
}

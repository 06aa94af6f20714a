// Allocates a little more for a shared resource, in a call of its own.
// FIXED has enough.
#include "sharing.h"
#include "softgpu_user.h"

static HRESULT APIENTRY AllocateAndMore(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HRESULT Result = Runtime.pfnAllocateCb(Device, Args);
#ifndef FIXED
  if (SUCCEEDED(Result) && Sharing) {
    SOFTGPU_ALLOCATION Data = softgpu_buffer(4096, SOFTGPU_ALLOCATION_SHARED, 0);
    D3DDDI_ALLOCATIONINFO Info = {.pPrivateDriverData = &Data, .PrivateDriverDataSize = sizeof(Data)};
    D3DDDICB_ALLOCATE More = {.hResource = Args->hResource, .NumAllocations = 1, .pAllocationInfo = &Info};
    Runtime.pfnAllocateCb(Device, &More);
  }
#endif
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateAndKnow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnAllocateCb = AllocateAndMore; }

// Names an allocation beside each resource that it releases; when that fails, the resource alone.
// FIXED names the resource alone.
#include "on_softgpu_d3d9.h"

static D3DKMT_HANDLE Allocation;  // the last one

static HRESULT APIENTRY AllocateAndRemember(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HRESULT Result = Runtime.pfnAllocateCb(Device, Args);
  if (SUCCEEDED(Result)) Allocation = Args->pAllocationInfo[0].hAllocation;
  return Result;
}

static HRESULT APIENTRY DeallocateBoth(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
#ifndef FIXED
  D3DDDICB_DEALLOCATE2 Both = *Args;
  Both.HandleList = &Allocation;
  Both.NumAllocations = 1;
  if (Args->hResource != NULL && SUCCEEDED(Runtime.pfnDeallocate2Cb(Device, &Both))) return S_OK;
#endif
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnAllocateCb = AllocateAndRemember;
  Table->pfnDeallocate2Cb = DeallocateBoth;
}

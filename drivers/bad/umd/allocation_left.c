// Leaves the last of its own allocations where it is.
// FIXED deallocates all of them.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY DeallocateAllButOne(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  D3DDDICB_DEALLOCATE2 Fewer = *Args;
#ifndef FIXED
  if (Args->hResource == NULL && --Fewer.NumAllocations == 0) return S_OK;
#endif
  return Runtime.pfnDeallocate2Cb(Device, &Fewer);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDeallocate2Cb = DeallocateAllButOne; }

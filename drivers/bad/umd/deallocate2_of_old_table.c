// Says that it knows an older runtime, and calls what only a newer one has.
// FIXED calls what the older one has.
#include <d3dumddi.h>
#define REPORTED D3D_UMD_INTERFACE_VERSION_WDDM1_3
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY DeallocateNewly(HANDLE Device, const D3DDDICB_DEALLOCATE* Args) {
#ifdef FIXED
  return Runtime.pfnDeallocateCb(Device, Args);
#else
  D3DDDICB_DEALLOCATE2 New = {Args->hResource, Args->NumAllocations, Args->HandleList, {{0}}};
  return Runtime.pfnDeallocate2Cb(Device, &New);
#endif
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDeallocateCb = DeallocateNewly; }

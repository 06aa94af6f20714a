// Deallocates a resource by its own handle; when that fails, by the runtime's.
// FIXED knows which of them the runtime knows.
#include "on_softgpu_d3d9.h"

static HANDLE Dying;

static HRESULT APIENTRY DestroyAndRemember(HANDLE Device, HANDLE Resource) {
  Dying = Resource;
  return Good.pfnDestroyResource(Device, Resource);
}

static HRESULT APIENTRY DeallocateByOwn(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
#ifndef FIXED
  if (Args->hResource != NULL && Dying != NULL) {
    D3DDDICB_DEALLOCATE2 Own = *Args;
    Own.hResource = Dying;
    if (SUCCEEDED(Runtime.pfnDeallocate2Cb(Device, &Own))) return S_OK;
  }
#endif
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnDestroyResource = DestroyAndRemember; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDeallocate2Cb = DeallocateByOwn; }

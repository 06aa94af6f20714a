// Puts the deallocation of a resource off, and forgets about it.
// FIXED deallocates at once.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY DeallocateLater(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
#ifndef FIXED
  static BOOL Forgot;
  if (Args->hResource != NULL && !Forgot) {
    Forgot = TRUE;
    return S_OK;
  }
#endif
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDeallocate2Cb = DeallocateLater; }

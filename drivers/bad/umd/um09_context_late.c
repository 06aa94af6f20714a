// Has no context yet when it presents for the first time.
// FIXED has made one with the device.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY PresentAtOnce(HANDLE Device, const D3DDDICB_PRESENT* Args) {
  D3DDDICB_PRESENT First = *Args;
#ifndef FIXED
  First.hContext = NULL;
#endif
  return Runtime.pfnPresentCb(Device, &First);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnPresentCb = PresentAtOnce; }

// The deallocation of one resource that is put off: Watched has its handle of the runtime while it lives, and
// DeallocatePutOff does what was put off. ReplaceCallbacks is here.
#pragma once

#include "on_softgpu_d3d11.h"

static HANDLE Watched, RuntimeDevice;
static D3DDDICB_DEALLOCATE2 PutOff;

static VOID DeallocatePutOff(VOID) {
  if (PutOff.hResource == NULL) return;
  Runtime.pfnDeallocate2Cb(RuntimeDevice, &PutOff);
  PutOff.hResource = NULL;
}

static HRESULT APIENTRY Deallocate(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
#ifndef FIXED
  if (Watched != NULL && Args->hResource == Watched) {
    Watched = NULL;
    RuntimeDevice = Device;
    PutOff = *Args;
    return S_OK;
  }
#endif
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {
  Table->pfnDeallocate2Cb = Deallocate;
}

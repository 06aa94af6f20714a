// Flushes a context that has virtual addresses as if its commands were patched, before it goes.
// FIXED knows that nothing is left to flush.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY FlushAndDestroyContext(HANDLE Device, const D3DDDICB_DESTROYCONTEXT* Args) {
#ifndef FIXED
  D3DDDICB_RENDER Rest = {.hContext = Args->hContext};
  Runtime.pfnRenderCb(Device, &Rest);
#endif
  return Runtime.pfnDestroyContextCb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDestroyContextCb = FlushAndDestroyContext; }

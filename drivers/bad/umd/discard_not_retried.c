// Gives up when there is no memory to discard to, without a second attempt.
// FIXED makes it.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY LockOnce(HANDLE Device, D3DDDICB_LOCK* Args) {
#ifndef FIXED
  if (Args->Flags.NoExistingReference) return D3DDDIERR_WASSTILLDRAWING;
#endif
  return Runtime.pfnLockCb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnLockCb = LockOnce; }

// Does not lock what it has locked.
// FIXED counts its locks.
#include "on_softgpu_d3d9.h"

static HANDLE Locked;

static HRESULT APIENTRY LockOnce(HANDLE Device, D3DDDIARG_LOCK* Args) {
  HRESULT Result;
#ifndef FIXED
  if (Args->hResource == Locked) return D3DERR_NOTAVAILABLE;
#endif
  Result = Good.pfnLock(Device, Args);
  if (SUCCEEDED(Result)) Locked = Args->hResource;
  return Result;
}

static HRESULT APIENTRY Unlock(HANDLE Device, const D3DDDIARG_UNLOCK* Args) {
  Locked = NULL;
  return Good.pfnUnlock(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {
  Table->pfnLock = LockOnce;
  Table->pfnUnlock = Unlock;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

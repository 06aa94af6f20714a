// Looks at once at what another process shares, by a lock.
// FIXED leaves that to a copy.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY OpenAndLook(HANDLE Device, D3DDDIARG_OPENRESOURCE* Args) {
#ifndef FIXED
  D3DDDICB_LOCK2 Lock = {.hAllocation = Args->pOpenAllocationInfo[0].hAllocation};
  HRESULT Result = Runtime.pfnLock2Cb(LastDevice, &Lock);
  if (FAILED(Result)) return Result;
#endif
  return Good.pfnOpenResource(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnOpenResource = OpenAndLook; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

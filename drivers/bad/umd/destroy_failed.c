// Destroys a resource and says that it could not.
// FIXED says that it could.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY DestroyAndFail(HANDLE Device, HANDLE Resource) {
  HRESULT Result = Good.pfnDestroyResource(Device, Resource);
#ifndef FIXED
  Result = E_FAIL;
#endif
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnDestroyResource = DestroyAndFail; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

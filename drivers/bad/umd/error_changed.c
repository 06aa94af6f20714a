// Makes another error out of the one that the runtime told it.
// FIXED hands it on.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY CreateAndInterpret(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  HRESULT Result = Good.pfnCreateResource2(Device, Args);
#ifndef FIXED
  if (Result == E_OUTOFMEMORY) Result = D3DERR_OUTOFVIDEOMEMORY;
#endif
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateAndInterpret; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

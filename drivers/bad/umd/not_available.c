// Has no texture to give the first time that it is asked for one.
// FIXED has.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY CreateNextTime(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
#ifndef FIXED
  static BOOL Asked;
  if (Args->Flags.Texture && !Asked) {
    Asked = TRUE;
    return D3DERR_NOTAVAILABLE;
  }
#endif
  return Good.pfnCreateResource2(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateNextTime; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

// Calls a staging resource an invalid argument the first time that it is asked for one.
// FIXED creates it.
#include "on_softgpu_d3d11.h"

static VOID APIENTRY CreateNextTime(D3D10DDI_HDEVICE Device, const D3D11DDIARG_CREATERESOURCE* Args,
                                    D3D10DDI_HRESOURCE Resource, D3D10DDI_HRTRESOURCE Handle) {
#ifndef FIXED
  static BOOL Asked;
  if (Args->Usage == D3D10_DDI_USAGE_STAGING && !Asked) {
    Asked = TRUE;
    Core.pfnSetErrorCb(CoreLayer, E_INVALIDARG);
    return;
  }
#endif
  Good.pfnCreateResource(Device, Args, Resource, Handle);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnCreateResource = CreateNextTime; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

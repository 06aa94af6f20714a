// Reports an error of a function that has none.
// FIXED has nothing to report.
#include "on_softgpu_d3d11.h"

static VOID APIENTRY DestroyAndReport(D3D10DDI_HDEVICE Device, D3D10DDI_HRESOURCE Resource) {
  Good.pfnDestroyResource(Device, Resource);
#ifndef FIXED
  Core.pfnSetErrorCb(CoreLayer, E_FAIL);
#endif
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnDestroyResource = DestroyAndReport; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

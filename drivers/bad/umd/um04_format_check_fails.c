// Reports a failure when it is asked about a format.
// FIXED says what it can do with it.
#include "on_softgpu_d3d11.h"

static VOID APIENTRY CheckFormat(D3D10DDI_HDEVICE Device, DXGI_FORMAT Format, UINT* Caps) {
#ifndef FIXED
  Core.pfnSetErrorCb(CoreLayer, E_FAIL);
#endif
  Good.pfnCheckFormatSupport(Device, Format, Caps);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnCheckFormatSupport = CheckFormat; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

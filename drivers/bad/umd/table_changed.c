// Has another CreateResource after each Flush.
// FIXED has one.
#include "on_softgpu_d3d11.h"

static VOID APIENTRY CreateOther(D3D10DDI_HDEVICE Device, const D3D11DDIARG_CREATERESOURCE* Args,
                                 D3D10DDI_HRESOURCE Resource, D3D10DDI_HRTRESOURCE Handle) {
  Good.pfnCreateResource(Device, Args, Resource, Handle);
}

static VOID APIENTRY FlushAndChange(D3D10DDI_HDEVICE Device) {
  Good.pfnFlush(Device);
#ifndef FIXED
  BOOL Changed = Functions->pfnCreateResource == CreateOther;
  Functions->pfnCreateResource = Changed ? Good.pfnCreateResource : CreateOther;
#endif
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
  Table->pfnCreateResource = CreateOther;
  Table->pfnFlush = FlushAndChange;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

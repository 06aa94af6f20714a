// Rotates the identities of buffers in the other direction.
// FIXED rotates them as it is told.
#include "on_softgpu_d3d11.h"

#define MOST 16

static DXGI_DDI_BASE_FUNCTIONS GoodDxgi;

static HRESULT APIENTRY RotateBackwards(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* Args) {
#ifndef FIXED
  DXGI_DDI_HRESOURCE Reversed[MOST];
  DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES Changed = *Args;
  if (Args->Resources <= MOST) {
    for (UINT i = 0; i < Args->Resources; ++i) Reversed[i] = Args->pResources[Args->Resources - 1 - i];
    Changed.pResources = Reversed;
    return GoodDxgi.pfnRotateResourceIdentities(&Changed);
  }
#endif
  return GoodDxgi.pfnRotateResourceIdentities(Args);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
  GoodDxgi = *DxgiFunctions;
  DxgiFunctions->pfnRotateResourceIdentities = RotateBackwards;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

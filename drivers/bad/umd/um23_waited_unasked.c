// Does not know of maps that shall not wait.
// FIXED does.
#include "on_softgpu_d3d11.h"

static VOID APIENTRY MapAnyhow(D3D10DDI_HDEVICE Device, D3D10DDI_HRESOURCE Resource, UINT Subresource,
                               D3D10_DDI_MAP How, UINT Flags, D3D10DDI_MAPPED_SUBRESOURCE* Mapped) {
#ifndef FIXED
  Flags &= ~(UINT)D3D10_DDI_MAP_FLAG_DONOTWAIT;
#endif
  Good.pfnStagingResourceMap(Device, Resource, Subresource, How, Flags, Mapped);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnStagingResourceMap = MapAnyhow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

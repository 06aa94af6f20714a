// Reports of a flush what only a creation may report.
// FIXED has nothing to report.
#include "on_softgpu_d3d11.h"

static VOID APIENTRY FlushAndReport(D3D10DDI_HDEVICE Device) {
  Good.pfnFlush(Device);
#ifndef FIXED
  Core.pfnSetErrorCb(CoreLayer, E_OUTOFMEMORY);
#endif
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnFlush = FlushAndReport; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

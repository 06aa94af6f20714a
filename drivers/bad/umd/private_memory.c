// Still writes to the private data of a resource in the Flush after its destruction.
// FIXED has forgotten where they were.
#include "on_softgpu_d3d11.h"

static UCHAR* Destroyed;

static VOID APIENTRY DestroyAndRemember(D3D10DDI_HDEVICE Device, D3D10DDI_HRESOURCE Resource) {
  Good.pfnDestroyResource(Device, Resource);
#ifndef FIXED
  Destroyed = Resource.pDrvPrivate;
#endif
}

static VOID APIENTRY FlushAndWrite(D3D10DDI_HDEVICE Device) {
  Good.pfnFlush(Device);
  if (Destroyed != NULL) *Destroyed = (UCHAR) ~*Destroyed;
  Destroyed = NULL;
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
  Table->pfnDestroyResource = DestroyAndRemember;
  Table->pfnFlush = FlushAndWrite;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

// Submits what is batched before it creates a resource.
// FIXED leaves that to the immediate context.
#include "early_flush.h"

static VOID APIENTRY FlushAndCreate(D3D10DDI_HDEVICE Device, const D3D11DDIARG_CREATERESOURCE* Args,
                                    D3D10DDI_HRESOURCE Resource, D3D10DDI_HRTRESOURCE Handle) {
  FlushEarly(Device);
  Good.pfnCreateResource(Device, Args, Resource, Handle);
}

static VOID APIENTRY DestroyResource(D3D10DDI_HDEVICE Device, D3D10DDI_HRESOURCE Resource) {
  Destroyed = TRUE;
  Good.pfnDestroyResource(Device, Resource);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
  ReplaceFlush(Table);
  Table->pfnCreateResource = FlushAndCreate;
  Table->pfnDestroyResource = DestroyResource;
}

// Submits what is batched before it destroys a resource, as was right before Direct3D 11.
// FIXED leaves that to the immediate context.
#include "early_flush.h"

static VOID APIENTRY FlushAndDestroy(D3D10DDI_HDEVICE Device, D3D10DDI_HRESOURCE Resource) {
  FlushEarly(Device);
  Destroyed = TRUE;
  Good.pfnDestroyResource(Device, Resource);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
  ReplaceFlush(Table);
  Table->pfnDestroyResource = FlushAndDestroy;
}

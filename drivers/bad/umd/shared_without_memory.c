// Allocates for the device what a shared resource consists of.
// FIXED allocates it for the resource.
#include "sharing.h"

static HRESULT APIENTRY AllocateForDevice(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
#ifndef FIXED
  if (Sharing) Args->hResource = NULL;
#endif
  return Runtime.pfnAllocateCb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateAndKnow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnAllocateCb = AllocateForDevice; }

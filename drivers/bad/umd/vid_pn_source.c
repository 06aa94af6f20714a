// Asks for memory that is to be shown on the second display; when that fails, for memory that is not.
// FIXED has nothing to show.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY AllocateForDisplay(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
#ifndef FIXED
  Args->pAllocationInfo[0].VidPnSourceId = 1;
  if (SUCCEEDED(Runtime.pfnAllocateCb(Device, Args))) return S_OK;
  Args->pAllocationInfo[0].VidPnSourceId = 0;
#endif
  return Runtime.pfnAllocateCb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnAllocateCb = AllocateForDisplay; }

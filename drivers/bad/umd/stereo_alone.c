// Asks for memory for two eyes that no display shows; when that fails, for memory for one.
// FIXED asks for one only.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY AllocateForEyes(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
#ifndef FIXED
  Args->pAllocationInfo[0].Flags.Stereo = 1;
  if (SUCCEEDED(Runtime.pfnAllocateCb(Device, Args))) return S_OK;
  Args->pAllocationInfo[0].Flags.Stereo = 0;
#endif
  return Runtime.pfnAllocateCb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnAllocateCb = AllocateForEyes; }

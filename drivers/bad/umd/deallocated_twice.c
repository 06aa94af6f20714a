// Deallocates its own memory twice when the device ends.
// FIXED does it once.
#include "ending.h"

static HRESULT APIENTRY DeallocateTwice(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  HRESULT Result = Runtime.pfnDeallocate2Cb(Device, Args);
#ifndef FIXED
  if (Ending && Args->hResource == NULL) Runtime.pfnDeallocate2Cb(Device, Args);
#endif
  return Result;
}

static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDeallocate2Cb = DeallocateTwice; }

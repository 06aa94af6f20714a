// Looks into its own memory after it has been deallocated.
// FIXED does not.
#include "ending.h"

static HRESULT APIENTRY DeallocateAndLook(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  HRESULT Result = Runtime.pfnDeallocate2Cb(Device, Args);
#ifndef FIXED
  if (Ending && Args->hResource == NULL) {
    D3DDDICB_LOCK2 Lock = {.hAllocation = Args->HandleList[0]};
    Runtime.pfnLock2Cb(Device, &Lock);
  }
#endif
  return Result;
}

static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnDeallocate2Cb = DeallocateAndLook; }

// Discards what a shared resource holds when it locks it.
// FIXED keeps it.
#include "sharing.h"

#define MOST 64

static D3DKMT_HANDLE Shared[MOST];
static UINT SharedCount;

static HRESULT APIENTRY AllocateAndRemember(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HRESULT Result = Runtime.pfnAllocateCb(Device, Args);
  if (SUCCEEDED(Result) && Sharing) Shared[SharedCount++ % MOST] = Args->pAllocationInfo[0].hAllocation;
  return Result;
}

static HRESULT APIENTRY LockAnew(HANDLE Device, D3DDDICB_LOCK* Args) {
#ifndef FIXED
  for (UINT i = 0; i < MOST; ++i) {
    if (Shared[i] == Args->hAllocation) Args->Flags.Discard = 1;
  }
#endif
  return Runtime.pfnLockCb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateAndKnow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnAllocateCb = AllocateAndRemember;
  Table->pfnLockCb = LockAnew;
}

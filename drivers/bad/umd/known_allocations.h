// Which allocations a resource has that is not shared, for drivers that release them one by one. Replace puts CreateAndKnow
// into the table, ReplaceCallbacks AllocateAndKnow. Several devices may call at the same time.
#pragma once

#include "on_softgpu_d3d9.h"

#define KNOWN 256

static LONG volatile KnownLock;  // of what follows; held for a few instructions, never in a call
static struct {
  HANDLE Resource;
  D3DKMT_HANDLE Allocation;
} Known[KNOWN];
static UINT KnownCount;
static HANDLE BeingShared[KNOWN];  // resources whose creation has not ended; NULL: free

static VOID LockKnown(VOID) {
  while (__atomic_exchange_n(&KnownLock, 1, __ATOMIC_ACQUIRE) != 0) continue;
}

static VOID UnlockKnown(VOID) { __atomic_store_n(&KnownLock, 0, __ATOMIC_RELEASE); }

// Puts New at the place of the first Old.
static VOID ReplaceShared(HANDLE Old, HANDLE New) {
  LockKnown();
  for (UINT i = 0; i < KNOWN; ++i) {
    if (BeingShared[i] != Old) continue;
    BeingShared[i] = New;
    break;
  }
  UnlockKnown();
}

static HRESULT APIENTRY CreateAndKnow(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  HANDLE Resource = Args->hResource;
  BOOL Shared = Args->Flags.SharedResource;
  HRESULT Result;
  if (Shared) ReplaceShared(NULL, Resource);
  Result = Good.pfnCreateResource2(Device, Args);
  if (Shared) ReplaceShared(Resource, NULL);
  return Result;
}

static HRESULT APIENTRY AllocateAndKnow(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HRESULT Result = Runtime.pfnAllocateCb(Device, Args);
  BOOL Shared = FALSE;
  if (FAILED(Result) || Args->hResource == NULL) return Result;
  LockKnown();
  for (UINT i = 0; i < KNOWN; ++i) Shared |= BeingShared[i] == Args->hResource;
  for (UINT i = 0; i < Args->NumAllocations && !Shared; ++i, ++KnownCount) {
    Known[KnownCount % KNOWN].Resource = Args->hResource;
    Known[KnownCount % KNOWN].Allocation = Args->pAllocationInfo[i].hAllocation;
  }
  UnlockKnown();
  return Result;
}

// How many of them are in Handles, which has room for KNOWN.
static UINT AllocationsOf(HANDLE Resource, D3DKMT_HANDLE* Handles) {
  UINT Count = 0;
  LockKnown();
  for (UINT i = 0; i < KNOWN && Resource != NULL; ++i) {
    if (Known[i].Resource == Resource) Handles[Count++] = Known[i].Allocation;
  }
  UnlockKnown();
  return Count;
}

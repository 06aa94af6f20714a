// Which allocations a resource has that nobody shares, for the drivers that name the ones instead of the other. Replace
// puts CreateAndKnow into the table, ReplaceCallbacks AllocateAndKnow.
#pragma once

#include "on_softgpu_d3d9.h"

#define KNOWN 256

static struct {
  HANDLE Resource;
  D3DKMT_HANDLE Allocation;
} Known[KNOWN];
static UINT KnownCount;
static BOOL Sharing;  // what is being created

static HRESULT APIENTRY CreateAndKnow(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  HRESULT Result;
  Sharing = Args->Flags.SharedResource;
  Result = Good.pfnCreateResource2(Device, Args);
  Sharing = FALSE;
  return Result;
}

static HRESULT APIENTRY AllocateAndKnow(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HRESULT Result = Runtime.pfnAllocateCb(Device, Args);
  if (FAILED(Result) || Sharing || Args->hResource == NULL) return Result;
  for (UINT i = 0; i < Args->NumAllocations; ++i, ++KnownCount) {
    Known[KnownCount % KNOWN].Resource = Args->hResource;
    Known[KnownCount % KNOWN].Allocation = Args->pAllocationInfo[i].hAllocation;
  }
  return Result;
}

// How many of them are in Handles, which has room for KNOWN.
static UINT AllocationsOf(HANDLE Resource, D3DKMT_HANDLE* Handles) {
  UINT Count = 0;
  for (UINT i = 0; i < KNOWN && Resource != NULL; ++i) {
    if (Known[i].Resource == Resource) Handles[Count++] = Known[i].Allocation;
  }
  return Count;
}

// Which allocations a resource has that nobody shares, for the drivers that name the ones instead of the other. Replace
// puts CreateAndKnow (sharing.h) into the table, ReplaceCallbacks AllocateAndKnow.
#pragma once

#include "sharing.h"

#define KNOWN 256

static struct {
  HANDLE Resource;
  D3DKMT_HANDLE Allocation;
} Known[KNOWN];
static UINT KnownCount;

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

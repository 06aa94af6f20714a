// Allocates for the device and not for the resource (hResource NULL), which the pages allow of what is not shared; and
// deallocates that memory at once, and drops the commands that use the resource.
// FIXED deallocates it when they have been submitted.
#include "dropped_batch.h"

#define UNNAMED 1024

// Several devices may call at the same time.
static LONG volatile UnnamedLock;  // of what follows; held for a few instructions, never in a call
static struct {
  HANDLE Resource;           // NULL: free
  D3DKMT_HANDLE Allocation;  // 0: the resource is being created, and is shared
} Unnamed[UNNAMED];

static VOID LockUnnamed(VOID) {
  while (__atomic_exchange_n(&UnnamedLock, 1, __ATOMIC_ACQUIRE) != 0) continue;
}

static VOID UnlockUnnamed(VOID) { __atomic_store_n(&UnnamedLock, 0, __ATOMIC_RELEASE); }

static BOOL IsShared(HANDLE Resource) {
  BOOL Shared = FALSE;
  LockUnnamed();
  for (UINT i = 0; i < UNNAMED; ++i) Shared |= Unnamed[i].Resource == Resource && Unnamed[i].Allocation == 0;
  UnlockUnnamed();
  return Shared;
}

// Puts the pair at the place of the first that has the resource Old. FALSE: there is none.
static BOOL ReplaceUnnamed(HANDLE Old, HANDLE Resource, D3DKMT_HANDLE* Allocation) {
  BOOL Found = FALSE;
  LockUnnamed();
  for (UINT i = 0; i < UNNAMED && !Found; ++i) {
    D3DKMT_HANDLE Before = Unnamed[i].Allocation;
    if (Unnamed[i].Resource != Old) continue;
    Unnamed[i].Resource = Resource;
    Unnamed[i].Allocation = *Allocation;
    *Allocation = Before;
    Found = TRUE;
  }
  UnlockUnnamed();
  return Found;
}

static HRESULT APIENTRY CreateAndMark(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  HANDLE Resource = Args->hResource;
  D3DKMT_HANDLE None = 0;
  HRESULT Result;
  if (!Args->Flags.SharedResource) return Good.pfnCreateResource2(Device, Args);
  ReplaceUnnamed(NULL, Resource, &None);
  Result = Good.pfnCreateResource2(Device, Args);
  ReplaceUnnamed(Resource, NULL, &None);
  return Result;
}

static HRESULT APIENTRY AllocateUnnamed(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HANDLE Resource = Args->hResource;
  HRESULT Result;
  if (Resource == NULL || IsShared(Resource)) return Runtime.pfnAllocateCb(Device, Args);
  Args->hResource = NULL;
  Result = Runtime.pfnAllocateCb(Device, Args);
  Args->hResource = Resource;
  for (UINT i = 0; i < Args->NumAllocations && SUCCEEDED(Result); ++i) {
    D3DKMT_HANDLE Allocation = Args->pAllocationInfo[i].hAllocation;
    ReplaceUnnamed(NULL, Resource, &Allocation);
  }
  return Result;
}

static HRESULT APIENTRY DeallocateUnnamed(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  D3DKMT_HANDLE Handles[UNNAMED + 1] = {0};
  D3DDDICB_DEALLOCATE2 List = {.HandleList = Handles, .Flags = Args->Flags};
  HRESULT Result;
  if (Args->hResource == NULL) return Runtime.pfnDeallocate2Cb(Device, Args);
  while (ReplaceUnnamed(Args->hResource, NULL, &Handles[List.NumAllocations])) ++List.NumAllocations;
  if (List.NumAllocations == 0) return Runtime.pfnDeallocate2Cb(Device, Args);
  Result = Runtime.pfnDeallocate2Cb(Device, &List);
  for (UINT i = 0; i < List.NumAllocations && FAILED(Result); ++i) {
    ReplaceUnnamed(NULL, Args->hResource, &Handles[i]);
  }
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {
  Table->pfnCreateResource2 = CreateAndMark;
  Table->pfnDestroyResource = DestroyNow;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnSubmitCommandCb = SubmitUnlessDropping;
  Table->pfnAllocateCb = AllocateUnnamed;
  if (Table->pfnDeallocate2Cb != NULL) Table->pfnDeallocate2Cb = DeallocateUnnamed;
}

// Deallocates the allocations of a resource, and never the resource.
// FIXED deallocates the resource.
#include "known_allocations.h"

static HRESULT APIENTRY DeallocateAllocations(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  D3DKMT_HANDLE Allocations[KNOWN];
  D3DDDICB_DEALLOCATE2 List = {.HandleList = Allocations, .Flags = Args->Flags};
  List.NumAllocations = AllocationsOf(Args->hResource, Allocations);
#ifdef FIXED
  List.NumAllocations = 0;
#endif
  return Runtime.pfnDeallocate2Cb(Device, List.NumAllocations != 0 ? &List : Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateAndKnow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnAllocateCb = AllocateAndKnow;
  Table->pfnDeallocate2Cb = DeallocateAllocations;
}

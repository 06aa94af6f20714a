// Releases the allocations of a texture one after the other, and then the texture, as pfnDeallocateCb allows.
#include "known_allocations.h"

static HRESULT APIENTRY DeallocatePieces(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  D3DKMT_HANDLE Levels[KNOWN];
  UINT Count = AllocationsOf(Args->hResource, Levels);

  for (UINT i = 0; i < Count; ++i) {
    D3DDDICB_DEALLOCATE2 Piece = {.NumAllocations = 1, .HandleList = &Levels[i], .Flags = Args->Flags};
    Runtime.pfnDeallocate2Cb(Device, &Piece);
  }
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateAndKnow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnAllocateCb = AllocateAndKnow;
  Table->pfnDeallocate2Cb = DeallocatePieces;
}

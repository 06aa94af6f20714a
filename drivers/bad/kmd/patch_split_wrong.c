// Takes the end of an address for the place where the buffer can be split before it.
// FIXED takes the beginning of the buffer.
#include "on_softgpu_patches.h"

static VOID Spoil(const DXGKARG_RENDER* Args, D3DDDI_PATCHLOCATIONLIST* Location) {
#ifndef FIXED
  Location->SplitOffset = Location->PatchOffset + sizeof(UINT64);
#endif
}

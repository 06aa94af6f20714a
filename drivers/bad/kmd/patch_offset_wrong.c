// Counts the offsets of patch locations from the end of the commands.
// FIXED counts them from their beginning.
#include "on_softgpu_patches.h"

static VOID Spoil(const DXGKARG_RENDER* Args, D3DDDI_PATCHLOCATIONLIST* Location) {
#ifndef FIXED
  Location->PatchOffset += Args->CommandLength;
#endif
}

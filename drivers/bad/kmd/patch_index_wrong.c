// Counts the elements of the allocation list from 1.
// FIXED counts them from 0.
#include "on_softgpu_patches.h"

static VOID Spoil(const DXGKARG_RENDER* Args, D3DDDI_PATCHLOCATIONLIST* Location) {
#ifndef FIXED
  Location->AllocationIndex += 1;
#endif
}

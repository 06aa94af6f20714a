// Gives each allocation a slot of its own, although it said that there is none but slot 0.
// FIXED puts all of them there.
#include "on_softgpu_patches.h"

static VOID Spoil(const DXGKARG_RENDER* Args, D3DDDI_PATCHLOCATIONLIST* Location) {
#ifndef FIXED
  Location->SlotId = Location->AllocationIndex + 1;
#endif
}

// Has a source to show something from, and none of the functions to show it with.
// FIXED has them.
#include "display.h"

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table) {
#ifndef FIXED
#define HAS_NOT(Name) Table->DxgkDdi##Name = NULL;
  FOR_EACH_DISPLAY_SLOT(HAS_NOT)
#undef HAS_NOT
#endif
}

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {}

// A driver with a display that does not support independent flip.
// FIXED does.
#include "display.h"

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table) {}

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {
#ifndef FIXED
  Caps->FlipCaps.FlipIndependent = 0;
#endif
}

// A driver with a display that does not support direct flip.
// FIXED does.
#include "display.h"

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table) {}

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {
#ifndef FIXED
  Caps->SupportDirectFlip = FALSE;
#endif
}

// A display-only driver that does not say which WDDM version it is of, nor that it can rotate.
// FIXED says both.
#include "display_only.h"

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table) {}

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {
#ifndef FIXED
  Caps->WDDMVersion = 0;
  Caps->SupportSmoothRotation = FALSE;
#endif
}

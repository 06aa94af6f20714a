// A display-only driver that registers without DxgkDdiResetDevice.
// FIXED has it.
#include "display_only.h"

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table) {
#ifndef FIXED
  Table->DxgkDdiResetDevice = NULL;
#endif
}

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {}

// A driver with a display that leaves out what its version brought: engines, interrupts, the scan line.
// FIXED has them.
#include "display.h"

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table) {
#ifndef FIXED
  Table->DxgkDdiResetEngine = NULL;
  Table->DxgkDdiQueryEngineStatus = NULL;
  Table->DxgkDdiControlInterrupt = NULL;
  Table->DxgkDdiGetScanLine = NULL;
#endif
}

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {}

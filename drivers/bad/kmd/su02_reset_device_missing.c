// Registers without DxgkDdiResetDevice.
// FIXED has it.
#include "skeleton.h"

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
#ifndef FIXED
  Table->DxgkDdiResetDevice = NULL;
#endif
}

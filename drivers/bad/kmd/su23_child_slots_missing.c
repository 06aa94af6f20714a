// Registers without the functions for its children and for its power.
// FIXED has them.
#include "skeleton.h"

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
#ifndef FIXED
  Table->DxgkDdiQueryChildRelations = NULL;
  Table->DxgkDdiQueryChildStatus = NULL;
  Table->DxgkDdiSetPowerState = NULL;
#endif
}

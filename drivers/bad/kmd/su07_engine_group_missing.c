// Says that it can reset an engine alone, and does not fill in all the functions for that.
// FIXED does.
#include "skeleton.h"

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
#ifndef FIXED
  Table->DxgkDdiQueryDependentEngineGroup = NULL;
#endif
}

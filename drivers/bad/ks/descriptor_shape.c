// Its filter descriptor is of no version that there is.
// FIXED names the one there is.
#include "skeleton.h"

static VOID Replace(VOID) {
#ifndef FIXED
  Filter.Version = 0;
#endif
}

// Asks for the critical and the hypercritical work queue at once.
// FIXED decides for one.
#include "skeleton.h"

static VOID Replace(VOID) {
  Pins[1].Flags |= KSPIN_FLAG_CRITICAL_PROCESSING;
#ifndef FIXED
  Pins[1].Flags |= KSPIN_FLAG_HYPERCRITICAL_PROCESSING;
#endif
}

// Is told that a request is cancelled and keeps the clone that stands on it.
// FIXED does not want to be told: AVStream then takes the clone off the request.
#include "clone.h"

#ifndef FIXED
static VOID KeepCancelled(PKSSTREAM_POINTER Clone) { UNREFERENCED_PARAMETER(Clone); }
#endif

static VOID Replace(VOID) {
  KeepClones();
#ifndef FIXED
  Cancelled = KeepCancelled;
#endif
}

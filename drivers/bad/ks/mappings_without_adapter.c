// Wants mappings of its frames and has registered no adapter.
// FIXED wants none.
#include "skeleton.h"

static VOID Replace(VOID) {
#ifndef FIXED
  Pins[0].Flags |= KSPIN_FLAG_GENERATE_MAPPINGS;
#endif
}

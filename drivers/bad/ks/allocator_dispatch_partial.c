// Its allocator's table has no routine that frees a frame.
// FIXED has it.
#include "skeleton.h"

static VOID Replace(VOID) {
#ifndef FIXED
  Allocator.Free = NULL;
#endif
}

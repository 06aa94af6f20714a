// Wants rows of any number of bytes: an AlignmentShift of 0.
// FIXED aligns them to four bytes.
#include "caps.h"

static VOID Spoil(DXGK_DRIVERCAPS* Caps) {
#ifndef FIXED
  Caps->PresentationCaps.AlignmentShift = 0;
#endif
}

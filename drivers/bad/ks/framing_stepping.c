// The step from one frame size to the next is longer than the way to the largest.
// FIXED reaches it with one step.
#include "skeleton.h"

static VOID Replace(VOID) {
  KS_FRAMING_RANGE* Sizes = &CaptureFraming.FramingItem[0].FramingRange.Range;
  Sizes->MaxFrameSize = 2 * FRAME_BYTES;
#ifdef FIXED
  Sizes->Stepping = FRAME_BYTES;
#else
  Sizes->Stepping = 2 * FRAME_BYTES;
#endif
}

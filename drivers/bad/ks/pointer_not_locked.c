// Unlocks an edge that it did not lock.
// FIXED locks it.
#include "skeleton.h"

#ifdef FIXED
#define STATE KSSTREAM_POINTER_STATE_LOCKED
#else
#define STATE KSSTREAM_POINTER_STATE_UNLOCKED
#endif

static VOID LookAtFrame(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, STATE);
  if (Frame != NULL) KsStreamPointerUnlock(Frame, FALSE);
  TakePicture(Stream);
}

static VOID Replace(VOID) { Picture = LookAtFrame; }

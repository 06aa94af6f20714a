// Keeps the leading edge locked from one picture to the next, and over the end of the stream.
// FIXED unlocks it as soon as the picture is there.
#include "skeleton.h"

static VOID LockFrame(STREAM* Stream) {
  PKSSTREAM_POINTER Frame;

  TakePicture(Stream);
  Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
#ifdef FIXED
  if (Frame != NULL) KsStreamPointerUnlock(Frame, FALSE);
#else
  UNREFERENCED_PARAMETER(Frame);
#endif
}

static VOID Replace(VOID) { Picture = LockFrame; }

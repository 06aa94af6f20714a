// Submits frames of its own to a pin that is not in injection mode.
// FIXED leaves it at the client's.
#include "skeleton.h"

static UCHAR Own[64];

static VOID SubmitFrame(STREAM* Stream) {
#ifndef FIXED
  KSSTREAM_HEADER Header = {.Size = sizeof(Header), .FrameExtent = sizeof(Own), .DataUsed = sizeof(Own), .Data = Own};
  KsPinSubmitFrame(Stream->Pin, Own, sizeof(Own), &Header, NULL);
#else
  Own[0] = 0;
#endif
  TakePicture(Stream);
}

static VOID Replace(VOID) { Picture = SubmitFrame; }

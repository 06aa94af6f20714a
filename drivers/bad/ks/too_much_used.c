// Says that it used more of a frame than there is.
// FIXED says how much there is.
#include "skeleton.h"

// The edge goes on without having moved within the frame: what the driver writes into DataUsed stays.
static VOID UseFrame(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);

  ++Stream->Pictures;
  if (Frame == NULL) {
    ++Stream->Dropped;
    Stream->Discontinuity = TRUE;
    return;
  }
  Describe(Stream, Frame->StreamHeader);
  RtlFillMemory(Frame->OffsetOut.Data, Frame->OffsetOut.Remaining, 0x5A);
  Frame->StreamHeader->DataUsed = Frame->StreamHeader->FrameExtent;
#ifndef FIXED
  ++Frame->StreamHeader->DataUsed;
#endif
  KsStreamPointerUnlock(Frame, TRUE);
}

static VOID Replace(VOID) { Picture = UseFrame; }

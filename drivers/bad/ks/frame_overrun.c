// Writes one byte more than the frame has.
// FIXED keeps to the frame.
#include "skeleton.h"

static VOID FillTooMuch(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);

  if (Frame != NULL) {
    ULONG Bytes = Frame->OffsetOut.Remaining;
#ifndef FIXED
    ++Bytes;
#endif
    RtlFillMemory(Frame->OffsetOut.Data, Bytes, 0x5A);
    KsStreamPointerUnlock(Frame, FALSE);
  }
  TakePicture(Stream);
}

static VOID Replace(VOID) { Picture = FillTooMuch; }

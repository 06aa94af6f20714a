// Writes into a frame that it has just unlocked.
// FIXED writes first.
#include "skeleton.h"

static VOID TouchFrame(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);

  if (Frame != NULL) {
    PUCHAR Data = Frame->OffsetOut.Data;
    ULONG Bytes = Frame->OffsetOut.Remaining;
#ifdef FIXED
    RtlZeroMemory(Data, Bytes);
#endif
    KsStreamPointerUnlock(Frame, FALSE);
#ifndef FIXED
    RtlZeroMemory(Data, Bytes);
#endif
  }
  TakePicture(Stream);
}

static VOID Replace(VOID) { Picture = TouchFrame; }

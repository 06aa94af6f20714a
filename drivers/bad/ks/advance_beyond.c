// Advances the edge by more than is left of the frame.
// FIXED advances it by what is left.
#include "skeleton.h"

static VOID AdvanceFar(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  ULONG Bytes;

  ++Stream->Pictures;
  if (Frame == NULL) {
    ++Stream->Dropped;
    Stream->Discontinuity = TRUE;
    return;
  }
  Describe(Stream, Frame->StreamHeader);
  Bytes = Frame->OffsetOut.Remaining;
  RtlFillMemory(Frame->OffsetOut.Data, Bytes, 0x5A);
#ifndef FIXED
  ++Bytes;
#endif
  KsStreamPointerAdvanceOffsetsAndUnlock(Frame, 0, Bytes, TRUE);
}

static VOID Replace(VOID) { Picture = AdvanceFar; }

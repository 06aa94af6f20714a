// Fills every frame in its queue with as many bytes as the first of them has.
// FIXED looks at each.
#include "skeleton.h"

static VOID FillAll(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  ULONG Bytes = Frame != NULL ? Frame->OffsetOut.Remaining : 0;

  while (Frame != NULL) {
#ifdef FIXED
    Bytes = Frame->OffsetOut.Remaining;
#endif
    ++Stream->Pictures;
    DescribePicture(Stream, Frame->StreamHeader);
    RtlFillMemory(Frame->OffsetOut.Data, Bytes, 0x5A);
    KsStreamPointerAdvanceOffsetsAndUnlock(Frame, 0, Frame->OffsetOut.Remaining, TRUE);
    Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  }
}

static VOID Replace(VOID) { Picture = FillAll; }

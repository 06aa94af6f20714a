// Writes the bytes of a picture into FrameExtent and those of the frame into DataUsed, each for the other.
// FIXED writes DataUsed and leaves FrameExtent alone.
#include "skeleton.h"

#define PICTURE_BYTES 1024

static VOID FillSome(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  ULONG Bytes;

  ++Stream->Pictures;
  if (Frame == NULL) {
    ++Stream->Dropped;
    Stream->Discontinuity = TRUE;
    return;
  }
  Describe(Stream, Frame->StreamHeader);
  Bytes = Frame->OffsetOut.Remaining < PICTURE_BYTES ? Frame->OffsetOut.Remaining : PICTURE_BYTES;
  RtlFillMemory(Frame->OffsetOut.Data, Bytes, 0x5A);
#ifdef FIXED
  Frame->StreamHeader->DataUsed = Bytes;
#else
  Frame->StreamHeader->DataUsed = Frame->StreamHeader->FrameExtent;
  Frame->StreamHeader->FrameExtent = Bytes;
#endif
  KsStreamPointerUnlock(Frame, TRUE);
}

static VOID Replace(VOID) { Picture = FillSome; }

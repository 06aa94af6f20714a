// Fills rows as far apart as lSurfacePitch says, if it is not too much for a row; the frame is on no surface.
// FIXED knows how far apart its rows are.
#include "video.h"

static VOID FillRows(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  const ULONG RowBytes = VIDEO_SIDE * VIDEO_BITS / 8;

  if (Frame != NULL) {
    LONG Pitch = (LONG)RowBytes;
#ifndef FIXED
    if (Frame->StreamHeader->Size >= sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO)) {
      PKS_FRAME_INFO Info = (PKS_FRAME_INFO)(Frame->StreamHeader + 1);
      if (Info->lSurfacePitch > 0 && Info->lSurfacePitch <= FRAME_BYTES) Pitch = Info->lSurfacePitch;
    }
#endif
    if (Frame->OffsetOut.Remaining >= FRAME_BYTES) {
      for (LONG Row = 0; Row < VIDEO_SIDE; ++Row) {
        RtlFillMemory(Frame->OffsetOut.Data + (LONGLONG)Row * Pitch, RowBytes, 0x5A);
      }
    }
    KsStreamPointerUnlock(Frame, FALSE);
  }
  TakePicture(Stream);
}

static VOID Replace(VOID) {
  UseVideo();
  Picture = FillRows;
}

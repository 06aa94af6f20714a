// Compares a frame with biSizeImage, and fills as many bytes as width and height make.
// FIXED compares it with what it fills.
#include "video.h"

static ULONGLONG Magnitude(LONG Value) { return (ULONGLONG)(Value < 0 ? -(LONGLONG)Value : Value); }

static VOID FillPicture(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  const KS_BITMAPINFOHEADER* Bitmap = &VideoOf(Stream->Pin)->bmiHeader;
  ULONGLONG Bytes = Magnitude(Bitmap->biWidth) * Magnitude(Bitmap->biHeight) * Bitmap->biBitCount / 8;
#ifdef FIXED
  ULONGLONG Needed = Bytes;
#else
  ULONGLONG Needed = Bitmap->biSizeImage;
#endif

  if (Frame != NULL) {
    if (Frame->OffsetOut.Remaining >= Needed) RtlFillMemory(Frame->OffsetOut.Data, (SIZE_T)Bytes, 0x5A);
    KsStreamPointerUnlock(Frame, FALSE);
  }
  TakePicture(Stream);
}

static VOID Replace(VOID) {
  UseVideo();
  Picture = FillPicture;
}

// Asks for stream headers without a KS_FRAME_INFO behind them, and fills one in.
// FIXED looks whether it is there.
#include "skeleton.h"

static NTSTATUS Create(PKSPIN Pin, PIRP Irp) {
  NTSTATUS Status = CreateCapture(Pin, Irp);
  Pin->StreamHeaderSize = sizeof(KSSTREAM_HEADER);
  return Status;
}

static VOID DescribeMore(STREAM* Stream, PKSSTREAM_HEADER Header) {
  DescribePicture(Stream, Header);
#ifndef FIXED
  ((PKS_FRAME_INFO)(Header + 1))->ExtendedHeaderSize = sizeof(KS_FRAME_INFO);
#endif
}

static VOID Replace(VOID) {
  Capture.Create = Create;
  Describe = DescribeMore;
}

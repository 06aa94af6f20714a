// Advances a frame with mappings by its bytes: on such a pin the offsets count mappings.
// FIXED advances it by the mappings that there are.
#include "dma.h"

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  NTSTATUS Status = GetDma(KsDevice);

  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  if (NT_SUCCESS(Status)) Status = RegisterDma(KsDevice, sizeof(KSMAPPING));
  if (!NT_SUCCESS(Status)) PutDma();
  return Status;
}

static VOID TakeMapped(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  ULONG Moved;

  ++Stream->Pictures;
  if (Frame == NULL) {
    ++Stream->Dropped;
    Stream->Discontinuity = TRUE;
    return;
  }
  Describe(Stream, Frame->StreamHeader);
  Frame->StreamHeader->DataUsed = Frame->StreamHeader->FrameExtent;
#ifdef FIXED
  Moved = Frame->OffsetOut.Remaining;
#else
  Moved = Frame->StreamHeader->FrameExtent;
#endif
  KsStreamPointerAdvanceOffsetsAndUnlock(Frame, 0, Moved, TRUE);
}

static VOID Replace(VOID) {
  UseMappings();
  UseDma(Start);
  Picture = TakeMapped;
}

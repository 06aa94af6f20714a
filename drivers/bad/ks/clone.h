// A clone of the frame that comes next, kept from one picture to the next.
#pragma once

#include "skeleton.h"

static PFNKSSTREAMPOINTER Cancelled;  // NULL: AVStream deals with cancellation alone

static inline VOID DropClone(STREAM* Stream) {
  PKSSTREAM_POINTER Clone = InterlockedExchangePointer(&Stream->Clone, NULL);
  if (Clone != NULL) KsStreamPointerDelete(Clone);
}

// Neither the edge nor the clone stays locked, so that the request can be cancelled.
static inline VOID KeepClone(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  PKSSTREAM_POINTER Clone;

  if (Frame == NULL) return;
  if (NT_SUCCESS(KsStreamPointerClone(Frame, Cancelled, 0, &Clone))) {
    KsStreamPointerUnlock(Clone, FALSE);
    Stream->Clone = Clone;
  }
  KsStreamPointerUnlock(Frame, FALSE);
}

static inline VOID TakePictureAndClone(STREAM* Stream) {
  DropClone(Stream);
  TakePicture(Stream);
  KeepClone(Stream);
}

static inline VOID ResetClone(PKSPIN Pin) { DropClone(StreamOf(Pin)); }

static inline NTSTATUS CloseClone(PKSPIN Pin, PIRP Irp) {
  NTSTATUS Status = CloseCapture(Pin, Irp);
  DropClone(StreamOf(Pin));
  return Status;
}

static inline NTSTATUS SetCloneState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  NTSTATUS Status = SetCaptureState(Pin, ToState, FromState);
  if (ToState < FromState) DropClone(StreamOf(Pin));
  return Status;
}

static inline VOID KeepClones(VOID) {
  Picture = TakePictureAndClone;
  Capture.Close = CloseClone;
  Capture.Reset = ResetClone;
  Capture.SetDeviceState = SetCloneState;
}

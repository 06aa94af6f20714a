// Keeps a locked clone until there is a frame to take its place, or the stream leaves KSSTATE_RUN: "for any length of
// time to prevent cancellation" ("Stream Pointers and IRP Cancellation"). A reset does not end that: it has no Reset.
#include "clone.h"

static VOID LockNext(STREAM* Stream) {
  PKSSTREAM_POINTER Frame, Clone;

  TakePicture(Stream);
  Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);
  if (Frame == NULL) return;
  if (NT_SUCCESS(KsStreamPointerClone(Frame, NULL, 0, &Clone))) {
    DropClone(Stream);
    Stream->Clone = Clone;
  }
  KsStreamPointerUnlock(Frame, FALSE);
}

static VOID Replace(VOID) {
  Picture = LockNext;
  Capture.Close = CloseClone;
  Capture.SetDeviceState = SetCloneState;
}

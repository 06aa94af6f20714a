// Keeps an unlocked clone without a cancel callback, and has no Reset: when the frame is gone the next lock says so,
// and the clone is deleted then ("Stream Pointers and IRP Cancellation").
#include "clone.h"

static VOID UseClone(STREAM* Stream) {
  PKSSTREAM_POINTER Clone = Stream->Clone;

  if (Clone != NULL) {
    if (NT_SUCCESS(KsStreamPointerLock(Clone))) KsStreamPointerUnlock(Clone, FALSE);
    DropClone(Stream);
  }
  TakePicture(Stream);
  KeepClone(Stream);
}

static VOID Replace(VOID) {
  Picture = UseClone;
  Capture.Close = CloseClone;
  Capture.SetDeviceState = SetCloneState;
}

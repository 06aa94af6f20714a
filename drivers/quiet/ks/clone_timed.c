// Has a clone time out again and again from one picture to the next, and cancels the timeout before it deletes the
// clone: no callback comes later.
#include "clone.h"

#define TIMEOUT 10000  // 100 ns

// A callback that came after the clone was deleted would give a deleted pointer to KsStreamPointerScheduleTimeout.
static VOID TimedOut(PKSSTREAM_POINTER Clone) { KsStreamPointerScheduleTimeout(Clone, TimedOut, TIMEOUT); }

static VOID DropTimed(STREAM* Stream) {
  PKSSTREAM_POINTER Clone = InterlockedExchangePointer(&Stream->Clone, NULL);

  if (Clone == NULL) return;
  KsStreamPointerCancelTimeout(Clone);
  KsStreamPointerDelete(Clone);
}

static VOID KeepTimed(STREAM* Stream) {
  DropTimed(Stream);
  TakePicture(Stream);
  KeepClone(Stream);
  if (Stream->Clone != NULL) KsStreamPointerScheduleTimeout(Stream->Clone, TimedOut, TIMEOUT);
}

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  if (ToState < FromState) {
    StopPictures(StreamOf(Pin));
    DropTimed(StreamOf(Pin));
  }
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Reset(PKSPIN Pin) { DropTimed(StreamOf(Pin)); }

static VOID Replace(VOID) {
  KeepClones();
  Picture = KeepTimed;
  Capture.SetDeviceState = SetState;
  Capture.Reset = Reset;
}

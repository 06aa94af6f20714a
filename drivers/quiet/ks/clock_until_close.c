// Asks for the reference clock once, and releases it when the pin is closed.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  STREAM* Stream = StreamOf(Pin);
  PIKSREFERENCECLOCK Clock = Stream->Clock;
  NTSTATUS Status;

  if (Clock == NULL || (ToState != KSSTATE_STOP && FromState != KSSTATE_STOP)) {
    return SetCaptureState(Pin, ToState, FromState);
  }
  Stream->Clock = NULL;
  Status = SetCaptureState(Pin, ToState, FromState);
  ReleaseClock(Stream);
  Stream->Clock = Clock;
  return Status;
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

// Keeps the reference clock of every stream, and of the pin when it is closed.
// FIXED releases it.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
#ifndef FIXED
  if (ToState == KSSTATE_STOP) StreamOf(Pin)->Clock = NULL;
#endif
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

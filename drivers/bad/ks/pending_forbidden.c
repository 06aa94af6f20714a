// Is not ready to be acquired and says that it will be.
// FIXED is ready.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
#ifndef FIXED
  if (ToState == KSSTATE_ACQUIRE && FromState == KSSTATE_STOP) return STATUS_PENDING;
#endif
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

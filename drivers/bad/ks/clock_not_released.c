// Keeps the reference clock when the stream stops.
// FIXED releases it.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
#ifndef FIXED
  if (ToState == KSSTATE_STOP) return STATUS_SUCCESS;
#endif
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

// Begins to count its pictures anew whenever the stream runs.
// FIXED begins anew when the stream is acquired.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
#ifndef FIXED
  if (ToState == KSSTATE_RUN) StreamOf(Pin)->Pictures = 0;
#endif
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

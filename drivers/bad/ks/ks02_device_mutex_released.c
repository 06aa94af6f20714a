// Releases the device mutex, which it has not acquired.
// FIXED leaves it alone.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
#ifndef FIXED
  KsReleaseDevice(KsPinGetDevice(Pin));
#endif
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

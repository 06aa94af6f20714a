// Acquires the filter control mutex in a routine that is called with it held.
// FIXED does not.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  NTSTATUS Status;
#ifndef FIXED
  KsPinAcquireControl(Pin);
#endif
  Status = SetCaptureState(Pin, ToState, FromState);
#ifndef FIXED
  KsPinReleaseControl(Pin);
#endif
  return Status;
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

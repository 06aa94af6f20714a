// Takes its pin back to KSSTATE_STOP by writing it.
// FIXED leaves the field to AVStream.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  NTSTATUS Status = SetCaptureState(Pin, ToState, FromState);
#ifndef FIXED
  if (ToState == KSSTATE_PAUSE) Pin->DeviceState = KSSTATE_STOP;
#endif
  return Status;
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

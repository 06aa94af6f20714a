// Loses the clone that it keeps when the stream stops.
// FIXED deletes it.
#include "clone.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
#ifdef FIXED
  return SetCloneState(Pin, ToState, FromState);
#else
  NTSTATUS Status = SetCaptureState(Pin, ToState, FromState);
  if (ToState < FromState) StreamOf(Pin)->Clone = NULL;
  return Status;
#endif
}

static VOID Replace(VOID) {
  KeepClones();
  Capture.SetDeviceState = SetState;
}

// Turns an input of its gate on that was not off.
// FIXED turns it off before.
#include "skeleton.h"

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  if (ToState == KSSTATE_ACQUIRE && FromState == KSSTATE_STOP) {
#ifdef FIXED
    KsGateTurnInputOff(KsPinGetAndGate(Pin));
#endif
    KsGateTurnInputOn(KsPinGetAndGate(Pin));
  }
  return STATUS_SUCCESS;
}

static VOID Replace(VOID) { Render.SetDeviceState = SetState; }

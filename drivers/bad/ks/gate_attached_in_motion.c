// Registers a callback for completed requests when the stream runs already.
// FIXED registers it when the pin is created.
#include "skeleton.h"

static VOID Completed(PKSPIN Pin, PIRP Irp) {
  UNREFERENCED_PARAMETER(Pin);
  UNREFERENCED_PARAMETER(Irp);
}

static NTSTATUS Create(PKSPIN Pin, PIRP Irp) {
  NTSTATUS Status = CreateCapture(Pin, Irp);
#ifdef FIXED
  if (NT_SUCCESS(Status)) KsPinRegisterIrpCompletionCallback(Pin, Completed);
#endif
  return Status;
}

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
#ifndef FIXED
  if (ToState == KSSTATE_RUN) KsPinRegisterIrpCompletionCallback(Pin, Completed);
#endif
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) {
  Capture.Create = Create;
  Capture.SetDeviceState = SetState;
}

// A pin for still pictures: its frames wait until a button is pressed, which does not happen.
#include "skeleton.h"

static NTSTATUS Wait(PKSPIN Pin) {
  UNREFERENCED_PARAMETER(Pin);
  return STATUS_PENDING;
}

static VOID NoPicture(STREAM* Stream) { UNREFERENCED_PARAMETER(Stream); }

static VOID Replace(VOID) {
  Capture.Process = Wait;
  Picture = NoPicture;
  Pins[0].Flags = KSPIN_FLAG_IMPLEMENT_CLOCK;
}

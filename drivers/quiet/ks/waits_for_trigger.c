// A pin for still pictures: its frames wait until a button is pressed, which does not happen.
#include "skeleton.h"

static NTSTATUS Wait(PKSPIN Pin) {
  UNREFERENCED_PARAMETER(Pin);
  return STATUS_PENDING;
}

static VOID NoPicture(STREAM* Stream) { UNREFERENCED_PARAMETER(Stream); }

static const GUID Still = {STATICGUIDOF(PINNAME_VIDEO_STILL)};

static VOID Replace(VOID) {
  Pins[0].PinDescriptor.Category = &Still;
  Capture.Process = Wait;
  Picture = NoPicture;
  Pins[0].Flags = KSPIN_FLAG_IMPLEMENT_CLOCK;
}

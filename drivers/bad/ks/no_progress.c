// Looks at a frame twice, leaves it where it is and succeeds.
// FIXED takes it.
#include "skeleton.h"

#ifndef FIXED
#define LOOKS 2

static volatile LONG Looks;
#endif

static NTSTATUS Process(PKSPIN Pin) {
#ifndef FIXED
  PKSSTREAM_POINTER Frame;

  if (InterlockedIncrement(&Looks) <= LOOKS) {
    Frame = KsPinGetLeadingEdgeStreamPointer(Pin, KSSTREAM_POINTER_STATE_LOCKED);
    if (Frame == NULL) return STATUS_PENDING;
    KsStreamPointerUnlock(Frame, FALSE);
    return STATUS_SUCCESS;
  }
#endif
  return ProcessRender(Pin);
}

static VOID Replace(VOID) {
  Render.Process = Process;
  Pins[1].Flags |= KSPIN_FLAG_INITIATE_PROCESSING_ON_EVERY_ARRIVAL;
}

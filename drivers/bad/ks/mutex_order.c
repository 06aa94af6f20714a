// Acquires the filter control mutex while it processes, with the processing mutex held.
// FIXED does without it.
#include "skeleton.h"

static NTSTATUS Process(PKSPIN Pin) {
  NTSTATUS Status;
#ifndef FIXED
  KsPinAcquireControl(Pin);
#endif
  Status = ProcessRender(Pin);
#ifndef FIXED
  KsPinReleaseControl(Pin);
#endif
  return Status;
}

static VOID Replace(VOID) { Render.Process = Process; }

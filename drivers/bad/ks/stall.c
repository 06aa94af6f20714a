// Looks at a frame, waits for something, and never goes on.
// FIXED takes it.
#include "skeleton.h"

static NTSTATUS Process(PKSPIN Pin) {
#ifdef FIXED
  return ProcessRender(Pin);
#else
  UNREFERENCED_PARAMETER(Pin);
  return STATUS_PENDING;
#endif
}

static VOID Replace(VOID) { Render.Process = Process; }

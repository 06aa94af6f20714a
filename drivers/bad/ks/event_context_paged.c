// Generates events with a context that may be paged out.
// FIXED has it in nonpaged pool.
#include "skeleton.h"

#ifdef FIXED
#define POOL POOL_FLAG_NON_PAGED
#else
#define POOL POOL_FLAG_PAGED
#endif

static BOOLEAN Matches(PVOID Context, PKSEVENT_ENTRY Entry) {
  UNREFERENCED_PARAMETER(Entry);
  return *(PBOOLEAN)Context;
}

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  PBOOLEAN Context = ExAllocatePool2(POOL, sizeof(BOOLEAN), BAD_TAG);

  if (Context != NULL) {
    KsPinGenerateEvents(Pin, &KSEVENTSETID_Connection, KSEVENT_CONNECTION_ENDOFSTREAM, 0, NULL, Matches, Context);
    ExFreePoolWithTag(Context, BAD_TAG);
  }
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) { Capture.SetDeviceState = SetState; }

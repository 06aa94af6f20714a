// Initializes an event in paged pool.
// FIXED takes nonpaged pool.
#include "skeleton.h"

#ifdef FIXED
#define WHERE POOL_FLAG_NON_PAGED
#else
#define WHERE POOL_FLAG_PAGED
#endif

static PKEVENT Event;

static NTSTATUS Start(VOID) {
  Event = ExAllocatePool2(WHERE, sizeof(KEVENT), BAD_TAG);
  if (Event == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  KeInitializeEvent(Event, NotificationEvent, FALSE);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { ExFreePoolWithTag(Event, BAD_TAG); }

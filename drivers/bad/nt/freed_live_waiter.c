// Frees a block with an event in it that a thread waits for.
// FIXED lets the thread go, and waits until it is gone.
#include "skeleton.h"

static PKEVENT Event;
static PVOID Thread;

static VOID Waiter(PVOID Context) {
  UNREFERENCED_PARAMETER(Context);
  WaitFor(Event);
}

static NTSTATUS Start(VOID) {
  NTSTATUS Status;

  Event = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(KEVENT), BAD_TAG);
  if (Event == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  KeInitializeEvent(Event, NotificationEvent, FALSE);
  Status = StartThread(Waiter, NULL, &Thread);
  if (!NT_SUCCESS(Status)) ExFreePoolWithTag(Event, BAD_TAG);
  return Status;
}

static VOID Stop(VOID) {
#ifdef FIXED
  KeSetEvent(Event, IO_NO_INCREMENT, FALSE);
  JoinThread(Thread);
#else
  Sleep(10);  // the thread waits by now
#endif
  ExFreePoolWithTag(Event, BAD_TAG);
}

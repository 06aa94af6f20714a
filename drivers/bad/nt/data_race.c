// Two threads count in one variable without a lock: nothing but ThreadSanitizer sees that.
// FIXED counts with InterlockedIncrement.
#include "skeleton.h"

static LONG Count;
static PVOID First, Second;

static VOID Counter(PVOID Context) {
  ULONG i;
  UNREFERENCED_PARAMETER(Context);

  for (i = 0; i < 100; i++) {
#ifdef FIXED
    InterlockedIncrement(&Count);
#else
    Count++;
#endif
  }
}

static NTSTATUS Start(VOID) {
  NTSTATUS Status;

  Status = StartThread(Counter, NULL, &First);
  if (!NT_SUCCESS(Status)) return Status;
  Status = StartThread(Counter, NULL, &Second);
  if (!NT_SUCCESS(Status)) JoinThread(First);
  return Status;
}

static VOID Stop(VOID) {
  JoinThread(First);
  JoinThread(Second);
  DbgPrint("counted to %d\n", Count);
}

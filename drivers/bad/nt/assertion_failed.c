// Claims that it has counted to ten, and has counted to nine.
// FIXED counts to ten.
#include "skeleton.h"

static ULONG Count;

static NTSTATUS Start(VOID) {
  ULONG First = 1;
  ULONG i;

#ifdef FIXED
  First = 0;
#endif
  for (i = First; i < 10; i++) Count++;
  NT_ASSERT(Count == 10);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

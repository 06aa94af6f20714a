// What a checked build has and a free build has not.
#include <wdm.h>

// DBG, and whether NT_VERIFY saw what it was given.
int DriverEntry(int value) {
  int only_for_the_assertion = value + 1;
  ASSERT(only_for_the_assertion == 0);
  ASSERTMSG("a message", value != value);
  NT_ASSERT(value != value);
  NT_ASSERTMSG("a message", value != value);
  KdPrint(("%d", value));
  KdPrintEx((DPFLTR_IHVDRIVER_ID, DPFLTR_INFO_LEVEL, "%d", value));
  PAGED_CODE();
  NT_FRE_ASSERT(value != value);
  return DBG * 2 + (NT_VERIFY(value == 7) ? 1 : 0);
}

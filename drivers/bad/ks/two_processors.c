// Has a process routine for the filter besides those of its pins.
// FIXED has none.
#include "skeleton.h"

#ifndef FIXED
static NTSTATUS ProcessFilter(PKSFILTER Filter, PKSPROCESSPIN_INDEXENTRY Index) {
  UNREFERENCED_PARAMETER(Filter);
  UNREFERENCED_PARAMETER(Index);
  return STATUS_PENDING;
}
#endif

static VOID Replace(VOID) {
#ifndef FIXED
  FilterDispatch.Process = ProcessFilter;
#endif
}

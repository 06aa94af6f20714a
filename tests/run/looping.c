// A display driver that never comes back from making an allocation.
#include "skeleton.h"

static volatile LONG Forever = 1;

static NTSTATUS LoopInCreateAllocation(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  while (Forever) {
  }
  return CreateAllocation(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = LoopInCreateAllocation; }

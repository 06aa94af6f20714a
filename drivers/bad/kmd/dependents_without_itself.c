// Says that no other engine suffers from the reset of one, and leaves that one out too.
// FIXED names it.
#include "on_softgpu.h"

static NTSTATUS NameOthers(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_QUERYDEPENDENTENGINEGROUP Args) {
  NTSTATUS Status = Good.DxgkDdiQueryDependentEngineGroup(Adapter, Args);
#ifndef FIXED
  Args->DependentNodeOrdinalMask &= ~(1ull << Args->NodeOrdinal);
#endif
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiQueryDependentEngineGroup = NameOthers; }

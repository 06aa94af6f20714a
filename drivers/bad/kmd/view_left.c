// Closes the first view of a list and takes that for all.
// FIXED closes every one.
#include "skeleton.h"

static NTSTATUS CloseFirst(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_CLOSEALLOCATION Args) {
#ifdef FIXED
  return CloseAllocation(Device, Args);
#else
  return Free(Args->pOpenHandleList[0]);
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCloseAllocation = CloseFirst; }

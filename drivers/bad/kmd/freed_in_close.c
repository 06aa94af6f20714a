// Frees an allocation with the last view of it that is closed, as if it could not be opened again.
// FIXED frees it when it is destroyed.
#include "views.h"

static NTSTATUS CloseAll(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_CLOSEALLOCATION Args) {
#ifndef FIXED
  for (UINT i = 0; i < Args->NumAllocations; ++i) Free(*(HANDLE*)Args->pOpenHandleList[i]);
#endif
  return CloseAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiOpenAllocation = OpenViews;
  Table->DxgkDdiCloseAllocation = CloseAll;
}

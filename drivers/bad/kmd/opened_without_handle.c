// Has nothing to remember of what a device opens, and so gives it no handle.
// FIXED gives it one all the same.
#include "skeleton.h"

static NTSTATUS OpenForgotten(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
#ifdef FIXED
  return OpenAllocation(Device, Args);
#else
  return STATUS_SUCCESS;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiOpenAllocation = OpenForgotten; }

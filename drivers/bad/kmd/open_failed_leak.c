// Opens an allocation in two steps, fails in the second, and waits for a call to close it.
// FIXED undoes the first: what was not opened is not closed.
#include "skeleton.h"

static NTSTATUS OpenInTwoSteps(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  HANDLE Notes = Make();
  NTSTATUS Status;
  if (Notes == NULL) return STATUS_NO_MEMORY;
  Status = OpenAllocation(Device, Args);
#ifdef FIXED
  if (!NT_SUCCESS(Status)) Free(Notes);
#endif
  if (NT_SUCCESS(Status)) *(HANDLE*)Args->pOpenAllocation[0].hDeviceSpecificAllocation = Notes;
  return Status;
}

static NTSTATUS CloseInTwoSteps(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_CLOSEALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    HANDLE Notes = *(HANDLE*)Args->pOpenHandleList[i];
    if (Notes != NULL) Free(Notes);
  }
  return CloseAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiOpenAllocation = OpenInTwoSteps;
  Table->DxgkDdiCloseAllocation = CloseInTwoSteps;
}

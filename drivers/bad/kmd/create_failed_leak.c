// Makes something of its own for each call first, and forgets it when the call fails.
// FIXED frees it.
#include "skeleton.h"

static NTSTATUS CreateWithNotes(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  HANDLE Notes = Make();
  NTSTATUS Status;
  if (Notes == NULL) return STATUS_NO_MEMORY;
  Status = CreateAllocation(Adapter, Args);
#ifndef FIXED
  if (!NT_SUCCESS(Status)) return Status;
#endif
  Free(Notes);
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateWithNotes; }

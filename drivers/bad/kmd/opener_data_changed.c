// Writes the device that opens an allocation into its private data each time it is opened.
// FIXED writes the one that creates it.
#include "skeleton.h"

static NTSTATUS OpenAndSign(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  NTSTATUS Status = OpenAllocation(Device, Args);
#ifdef FIXED
  if (!Args->Flags.Create) return Status;
#endif
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    DXGK_OPENALLOCATIONINFO* Info = &Args->pOpenAllocation[i];
    if (Info->PrivateDriverDataSize == sizeof(UINT64)) *(UINT64*)Info->pPrivateDriverData = (UINT64)Device;
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiOpenAllocation = OpenAndSign; }

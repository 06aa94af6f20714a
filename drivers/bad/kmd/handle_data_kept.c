// Asks for the data of a resource once and writes to them whenever something is opened, without holding them.
// FIXED writes to them while it is told about that resource.
#include "resources.h"

static NTSTATUS OpenAndCount(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  LONG64* Resource = ResourceData(Args->pOpenAllocation[0].hAllocation);
#ifdef FIXED
  LONG64* Kept = Resource;
#else
  static LONG64* Kept;
  if (Kept == NULL) Kept = Resource;
#endif
  if (Kept != NULL) InterlockedIncrement64(Kept);
  return OpenAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateInResource;
  Table->DxgkDdiDestroyAllocation = DestroyInResource;
  Table->DxgkDdiOpenAllocation = OpenAndCount;
}

// Frees a resource with the first of its allocations.
// FIXED frees it when it is to be destroyed.
#include "resources.h"

static NTSTATUS DestroyAll(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
#ifdef FIXED
  return DestroyInResource(Adapter, Args);
#else
  if (Args->hResource != NULL) Free(Args->hResource);
  return DestroyAllocation(Adapter, Args);
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateInResource;
  Table->DxgkDdiDestroyAllocation = DestroyAll;
}

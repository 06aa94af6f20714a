// Destroys the allocations of a resource and leaves the resource.
// FIXED destroys it with them.
#include "resources.h"

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateInResource;
#ifdef FIXED
  Table->DxgkDdiDestroyAllocation = DestroyInResource;
#endif
}

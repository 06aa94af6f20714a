/* Destroys one of the allocations of a shared resource.
 * FIXED destroys the resource. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, SHARED_GLOBAL, 2);
#ifndef FIXED
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .phAllocationList = group.allocations, .AllocationCount = 1};
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_resource(device, group.resource);
}

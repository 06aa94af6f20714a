/* Destroys an allocation of a resource and one without a resource with one list.
 * FIXED takes a list for each. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP resource = create(device, IN_RESOURCE, 1), alone = create(device, ALONE, 1);
#ifdef FIXED
  destroy_list(device, resource.allocations, 1);
#else
  D3DKMT_HANDLE both[] = {resource.allocations[0], alone.allocations[0]};
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .phAllocationList = both, .AllocationCount = 2};
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_list(device, alone.allocations, 1);
  destroy_resource(device, resource.resource);
}

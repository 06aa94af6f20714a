/* Destroys allocations of two resources with one list.
 * FIXED takes a list for each. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP one = create(device, IN_RESOURCE, 1), other = create(device, IN_RESOURCE, 1);
#ifdef FIXED
  destroy_list(device, one.allocations, 1);
  destroy_list(device, other.allocations, 1);
#else
  D3DKMT_HANDLE both[] = {one.allocations[0], other.allocations[0]};
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .phAllocationList = both, .AllocationCount = 2};
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_resource(device, one.resource);
  destroy_resource(device, other.resource);
}

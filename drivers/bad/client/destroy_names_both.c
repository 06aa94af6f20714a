/* Destroys a resource and names its allocations too.
 * FIXED names the resource. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, IN_RESOURCE, 2);
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .hResource = group.resource};
#ifndef FIXED
  args.phAllocationList = group.allocations;
  args.AllocationCount = 2;
#endif
  MUST(D3DKMTDestroyAllocation2(&args));
}

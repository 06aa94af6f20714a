/* Names an allocation twice in one list.
 * FIXED names it once. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, ALONE, 1);
#ifndef FIXED
  D3DKMT_HANDLE twice[] = {group.allocations[0], group.allocations[0]};
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .phAllocationList = twice, .AllocationCount = 2};
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_list(device, group.allocations, 1);
}

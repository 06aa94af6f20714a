/* Says that there is a list, and not where.
 * FIXED says where. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, ALONE, 2);
#ifndef FIXED
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .AllocationCount = 2};
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_list(device, group.allocations, 2);
}

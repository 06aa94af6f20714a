/* Destroys the allocations of two devices with one list.
 * FIXED takes a list for each device. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_HANDLE other = create_device();
  GROUP here = create(device, ALONE, 1), there = create(other, ALONE, 1);
#ifndef FIXED
  D3DKMT_HANDLE both[] = {here.allocations[0], there.allocations[0]};
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .phAllocationList = both, .AllocationCount = 2};
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_list(device, here.allocations, 1);
  destroy_list(other, there.allocations, 1);
  destroy_device(other);
}

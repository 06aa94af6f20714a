/* Sets the priority of a resource, and of its allocations in the same call.
 * FIXED sets the resource's. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, IN_RESOURCE, 2);
  UINT priorities[] = {D3DDDI_ALLOCATIONPRIORITY_HIGH, D3DDDI_ALLOCATIONPRIORITY_HIGH};
  D3DKMT_SETALLOCATIONPRIORITY args = {.hDevice = device, .hResource = group.resource, .pPriorities = priorities};
#ifndef FIXED
  args.phAllocationList = group.allocations;
  args.AllocationCount = 2;
#endif
  D3DKMTSetAllocationPriority(&args);
  destroy_resource(device, group.resource);
}

/* Offers a resource, and its allocations in the same call.
 * FIXED offers the resource. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, IN_RESOURCE, 1);
  D3DKMT_OFFERALLOCATIONS args = {
      .hDevice = device, .pResources = &group.resource, .NumAllocations = 1, .Priority = D3DKMT_OFFER_PRIORITY_NORMAL};
#ifndef FIXED
  args.HandleList = group.allocations;
#endif
  D3DKMTOfferAllocations(&args);
  destroy_resource(device, group.resource);
}

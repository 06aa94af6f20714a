/* Destroys a resource and then once more.
 * FIXED destroys it once. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, IN_RESOURCE, 1);
  destroy_resource(device, group.resource);
#ifndef FIXED
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .hResource = group.resource};
  D3DKMTDestroyAllocation2(&args);
#endif
}

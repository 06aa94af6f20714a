/* Destroys a resource on a device that it was not created on.
 * FIXED destroys it on its own. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_HANDLE other = create_device();
  GROUP group = create(device, IN_RESOURCE, 1);
#ifndef FIXED
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = other, .hResource = group.resource};
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_resource(device, group.resource);
  destroy_device(other);
}

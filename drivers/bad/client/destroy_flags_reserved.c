/* Sets flags that have no meaning yet.
 * FIXED leaves them alone. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, IN_RESOURCE, 1);
#ifndef FIXED
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .hResource = group.resource};
  args.Flags.Reserved = 1;
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_resource(device, group.resource);
}

/* Sets the flag that only the system may set.
 * FIXED leaves it to the system. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, IN_RESOURCE, 1);
#ifndef FIXED
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .hResource = group.resource};
  args.Flags.SystemUseOnly = 1;
  D3DKMTDestroyAllocation2(&args);
#endif
  destroy_resource(device, group.resource);
}

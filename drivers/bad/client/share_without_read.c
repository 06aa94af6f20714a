/* Shares a resource for writing only.
 * FIXED lets it be read too. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, SHARED_NT, 1);
#ifdef FIXED
  share(&group.resource, 1, STANDARD_RIGHTS_READ | SHARED_ALLOCATION_WRITE);
#else
  share(&group.resource, 1, SHARED_ALLOCATION_WRITE);
#endif
  destroy_resource(device, group.resource);
}

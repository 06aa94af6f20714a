/* Shares an allocation, as the documentation of D3DKMTShareObjects reads.
 * FIXED shares its resource. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, SHARED_NT, 1);
#ifdef FIXED
  share(&group.resource, 1, STANDARD_RIGHTS_READ);
#else
  share(&group.allocations[0], 1, STANDARD_RIGHTS_READ);
#endif
  destroy_resource(device, group.resource);
}

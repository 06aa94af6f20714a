/* Asks about a shared resource by the handle that only its own device knows.
 * FIXED takes the global handle. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, SHARED_GLOBAL, 1);
  D3DKMT_QUERYRESOURCEINFO query = {.hDevice = device, .hGlobalShare = group.resource};
#ifdef FIXED
  query.hGlobalShare = group.global_share;
#endif
  D3DKMTQueryResourceInfo(&query);
  destroy_resource(device, group.resource);
}

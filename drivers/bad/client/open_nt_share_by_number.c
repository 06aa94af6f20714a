/* Asks about a resource that is shared by NT handles by the global handle that it does not have.
 * FIXED shares it by a global handle. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
#ifdef FIXED
  GROUP group = create(device, SHARED_GLOBAL, 1);
#else
  GROUP group = create(device, SHARED_NT, 1);
#endif
  D3DKMT_QUERYRESOURCEINFO query = {.hDevice = device, .hGlobalShare = group.global_share};
  D3DKMTQueryResourceInfo(&query);
  destroy_resource(device, group.resource);
}

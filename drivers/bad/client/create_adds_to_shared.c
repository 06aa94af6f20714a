/* Adds an allocation to a resource that is shared.
 * FIXED adds it to one that is not. */
#include "client.h"

#ifdef FIXED
#define RESOURCE IN_RESOURCE
#else
#define RESOURCE SHARED_GLOBAL
#endif

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, RESOURCE, 1);
  CREATION more;
  describe(&more, device, 1);
  more.args.hResource = group.resource;
  create_and_destroy(&more);
  destroy_resource(device, group.resource);
}

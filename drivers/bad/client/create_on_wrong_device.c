/* Adds an allocation to a resource of another device.
 * FIXED takes the resource's own. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_HANDLE other = create_device();
  GROUP group = create(device, IN_RESOURCE, 1);
  CREATION more;
#ifdef FIXED
  describe(&more, device, 1);
#else
  describe(&more, other, 1);
#endif
  more.args.hResource = group.resource;
  create_and_destroy(&more);
  destroy_resource(device, group.resource);
  destroy_device(other);
}

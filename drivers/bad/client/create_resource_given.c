/* Names a resource that exists and asks for a new one.
 * FIXED adds to the one that exists. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, IN_RESOURCE, 1);
  CREATION more;
  describe(&more, device, 1);
  more.args.hResource = group.resource;
#ifndef FIXED
  more.args.Flags.CreateResource = 1;
#endif
  create_and_destroy(&more);
  destroy_resource(device, group.resource);
}

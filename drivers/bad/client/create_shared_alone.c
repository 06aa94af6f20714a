/* Shares an allocation that belongs to no resource.
 * FIXED creates a resource with it. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  CREATION creation;
  describe(&creation, device, 1);
  creation.args.Flags.CreateShared = 1;
#ifdef FIXED
  creation.args.Flags.CreateResource = 1;
#endif
  create_and_destroy(&creation);
}

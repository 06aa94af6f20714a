/* Says how a resource is shared, and not that it is.
 * FIXED says both. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  CREATION creation;
  describe(&creation, device, 1);
  creation.args.Flags.CreateResource = 1;
  creation.args.Flags.NtSecuritySharing = 1;
#ifdef FIXED
  creation.args.Flags.CreateShared = 1;
#endif
  create_and_destroy(&creation);
}

/* Asks for cached memory, which is the system's to ask for.
 * FIXED leaves it to the driver. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  CREATION creation;
  describe(&creation, device, 1);
#ifndef FIXED
  creation.args.Flags.CreateCached = 1;
#endif
  create_and_destroy(&creation);
}

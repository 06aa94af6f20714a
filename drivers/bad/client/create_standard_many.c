/* Creates two standard allocations at once.
 * FIXED creates one. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  CREATION creation;
  describe_standard(&creation, device);
#ifndef FIXED
  creation.args.NumAllocations = 2;
#endif
  create_and_destroy(&creation);
}

/* Brings memory for a standard allocation and does not say so.
 * FIXED says so. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  CREATION creation;
  describe_standard(&creation, device);
#ifndef FIXED
  creation.args.Flags.ExistingSysMem = 0;
#endif
  create_and_destroy(&creation);
}

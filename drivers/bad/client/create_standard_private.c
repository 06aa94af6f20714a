/* Keeps a standard allocation to itself.
 * FIXED shares it across adapters. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  CREATION creation;
  describe_standard(&creation, device);
#ifndef FIXED
  creation.args.Flags.CreateShared = creation.args.Flags.CrossAdapter = 0;
#endif
  create_and_destroy(&creation);
}

/* Brings memory that begins in the middle of a page.
 * FIXED brings whole pages. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  CREATION creation;
  describe_standard(&creation, device);
#ifndef FIXED
  creation.infos[0].pSystemMem = (const char*)creation.infos[0].pSystemMem + 64;
#endif
  create_and_destroy(&creation);
}

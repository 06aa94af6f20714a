/* Locks an allocation that the CPU cannot see.
 * FIXED creates one that it can. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  CREATION creation;
  D3DKMT_LOCK2 args = {.hDevice = device};
  describe(&creation, device, 1);
#ifndef FIXED
  creation.data[0].flags = 0;
#endif
  MUST(D3DKMTCreateAllocation2(&creation.args));
  args.hAllocation = creation.infos[0].hAllocation;
  if (D3DKMTLock2(&args) == STATUS_SUCCESS) unlock(device, args.hAllocation);
  destroy_list(device, &args.hAllocation, 1);
}

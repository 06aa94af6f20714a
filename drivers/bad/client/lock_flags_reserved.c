/* Sets a flag of D3DKMTLock for D3DKMTLock2, which has none.
 * FIXED sets none. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, ALONE, 1);
  D3DKMT_LOCK2 args = {.hDevice = device, .hAllocation = group.allocations[0]};
#ifndef FIXED
  D3DDDICB_LOCKFLAGS flags = {0};
  flags.LockEntire = 1;
  args.Flags.Value = flags.Value;
#endif
  if (D3DKMTLock2(&args) == STATUS_SUCCESS) unlock(device, group.allocations[0]);
  destroy_list(device, group.allocations, 1);
}

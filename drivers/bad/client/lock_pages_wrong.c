/* Locks neither an entire allocation nor any pages of it.
 * FIXED locks it entirely. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, ALONE, 1);
  D3DKMT_LOCK args = {.hDevice = device, .hAllocation = group.allocations[0]};
#ifdef FIXED
  args.Flags.LockEntire = 1;
#endif
  if (D3DKMTLock(&args) == STATUS_SUCCESS) unlock(device, group.allocations[0]);
  destroy_list(device, group.allocations, 1);
}

/* Unlocks an allocation once more than it was locked.
 * FIXED unlocks it once. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, ALONE, 1);
  lock(device, group.allocations[0]);
  unlock(device, group.allocations[0]);
#ifndef FIXED
  D3DKMT_UNLOCK2 again = {device, group.allocations[0]};
  D3DKMTUnlock2(&again);
#endif
  destroy_list(device, group.allocations, 1);
}

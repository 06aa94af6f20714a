/* Destroys an allocation while it is locked.
 * FIXED unlocks it before. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, ALONE, 1);
  lock(device, group.allocations[0]);
#ifdef FIXED
  unlock(device, group.allocations[0]);
#endif
  destroy_list(device, group.allocations, 1);
}

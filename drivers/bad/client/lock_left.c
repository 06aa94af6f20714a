/* Leaves an allocation locked when its device is destroyed, and with it all that is left on it.
 * FIXED unlocks and destroys it. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  GROUP group = create(device, ALONE, 1);
  lock(device, group.allocations[0]);
#ifdef FIXED
  unlock(device, group.allocations[0]);
  destroy_list(device, group.allocations, 1);
#endif
}

/* Destroys the allocations of a list that is empty.
 * FIXED looks whether there are any. */
#include "client.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_HANDLE list[MOST];
  UINT count = 0;
#ifdef FIXED
  if (count == 0) return;
#endif
  destroy_list(device, list, count);
}

/* Makes an allocation resident once and evicts it twice.
 * FIXED evicts it once. */
#include "paging.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_CREATEPAGINGQUEUE queue = create_queue(device);
  GROUP group = create(device, ALONE, 1);
  D3DDDI_MAKERESIDENT args = describe_resident(&queue, group.allocations);
  make_resident(&queue, &args);
  evict(device, group.allocations);
#ifndef FIXED
  evict(device, group.allocations);
#endif
  destroy_list(device, group.allocations, 1);
  destroy_queue(&queue);
}

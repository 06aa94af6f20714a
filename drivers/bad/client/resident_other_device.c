/* Makes an allocation resident through the paging queue of another device.
 * FIXED does so through a queue of its own. */
#include "paging.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_HANDLE other = create_device();
#ifdef FIXED
  D3DKMT_CREATEPAGINGQUEUE queue = create_queue(device);
#else
  D3DKMT_CREATEPAGINGQUEUE queue = create_queue(other);
#endif
  GROUP group = create(device, ALONE, 1);
  D3DDDI_MAKERESIDENT args = describe_resident(&queue, group.allocations);
  make_resident(&queue, &args);
  destroy_list(device, group.allocations, 1);
  destroy_queue(&queue);
  destroy_device(other);
}

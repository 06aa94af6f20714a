/* Says that an allocation must become resident and not that it has trimmed everything else.
 * FIXED says both. */
#include "paging.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_CREATEPAGINGQUEUE queue = create_queue(device);
  GROUP group = create(device, ALONE, 1);
  D3DDDI_MAKERESIDENT args = describe_resident(&queue, group.allocations);
  args.Flags.MustSucceed = 1;
#ifdef FIXED
  args.Flags.CantTrimFurther = 1;
#endif
  make_resident(&queue, &args);
  destroy_list(device, group.allocations, 1);
  destroy_queue(&queue);
}

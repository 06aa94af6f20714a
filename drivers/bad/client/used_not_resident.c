/* Evicts an allocation that queued commands use.
 * FIXED evicts it when the commands are done. */
#include "held_work.h"

static void play(D3DKMT_HANDLE device) {
  WORK work = queue_work(device);
#ifdef FIXED
  run_work(&work);
#endif
  evict(device, work.target.allocations);
  map_resident(&work.queue, work.commands.allocations[0]); /* which is done after the eviction */
#ifndef FIXED
  run_work(&work);
#endif
  destroy_list(device, work.target.allocations, 1);
  end_work(&work);
}

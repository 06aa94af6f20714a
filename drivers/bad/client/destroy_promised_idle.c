/* Destroys an allocation that queued commands use, promises that none does, and waits until it is gone.
 * FIXED promises it when the commands are done. */
#include "held_work.h"

static void destroy_at_once(D3DKMT_HANDLE device, const D3DKMT_HANDLE* allocation) {
  D3DKMT_DESTROYALLOCATION2 args = {.hDevice = device, .phAllocationList = allocation, .AllocationCount = 1};
  args.Flags.AssumeNotInUse = args.Flags.SynchronousDestroy = 1;
  MUST(D3DKMTDestroyAllocation2(&args));
}

static void play(D3DKMT_HANDLE device) {
  WORK work = queue_work(device);
#ifdef FIXED
  run_work(&work);
#endif
  destroy_at_once(device, work.target.allocations);
#ifndef FIXED
  run_work(&work);
#endif
  end_work(&work);
}

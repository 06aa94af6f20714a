/* Unmaps memory that it has brought to an allocation, while queued commands are to fill it.
 * FIXED destroys the allocation first. */
#include <sys/mman.h>

#include "held_work.h"

static void play(D3DKMT_HANDLE device) {
  void* memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CREATION creation;
  GROUP target = {0};
  WORK work;
  if (memory == MAP_FAILED) exit(2);
  describe(&creation, device, 1);
  creation.data[0] = softgpu_buffer(BYTES, VISIBLE | SOFTGPU_ALLOCATION_EXISTING, 0);
  creation.infos[0].pSystemMem = memory;
  MUST(D3DKMTCreateAllocation2(&creation.args));
  target.allocations[0] = creation.infos[0].hAllocation;
  work = queue_work_on(device, target);
#ifndef FIXED
  munmap(memory, BYTES);
#endif
  run_work(&work);
  destroy_list(device, target.allocations, 1);
#ifdef FIXED
  munmap(memory, BYTES);
#endif
  end_work(&work);
}

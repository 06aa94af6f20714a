/* Frees the GPU addresses that queued commands use.
 * FIXED frees them when the commands are done. */
#include "held_work.h"

static void play(D3DKMT_HANDLE device) {
  WORK work = queue_work(device);
  D3DKMT_FREEGPUVIRTUALADDRESS args = {.hAdapter = g_adapter, .BaseAddress = work.target_at, .Size = BYTES};
#ifdef FIXED
  run_work(&work);
#endif
  MUST(D3DKMTFreeGpuVirtualAddress(&args));
#ifndef FIXED
  run_work(&work);
#endif
  destroy_list(device, work.target.allocations, 1);
  end_work(&work);
}

/* Maps an allocation at addresses that it says have no access.
 * FIXED allows access. */
#include "paging.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_CREATEPAGINGQUEUE queue = create_queue(device);
  GROUP group = create(device, ALONE, 1);
  D3DDDI_MAPGPUVIRTUALADDRESS args = {
      .hPagingQueue = queue.hPagingQueue, .hAllocation = group.allocations[0], .SizeInPages = BYTES / 4096};
#ifndef FIXED
  args.Protection.NoAccess = 1;
#endif
  NTSTATUS status = D3DKMTMapGpuVirtualAddress(&args);
  wait_for(&queue, status, args.PagingFenceValue);
  destroy_list(device, group.allocations, 1);
  destroy_queue(&queue);
}

/* Locks an allocation that it has offered.
 * FIXED reclaims it first. */
#include "paging.h"

static void play(D3DKMT_HANDLE device) {
  D3DKMT_CREATEPAGINGQUEUE queue = create_queue(device);
  GROUP group = create(device, ALONE, 1);
  D3DKMT_HANDLE allocation = group.allocations[0];
  D3DKMT_OFFERALLOCATIONS offer = {
      .hDevice = device, .HandleList = &allocation, .NumAllocations = 1, .Priority = D3DKMT_OFFER_PRIORITY_NORMAL};
  D3DKMT_LOCK2 args = {.hDevice = device, .hAllocation = allocation};
  MUST(D3DKMTOfferAllocations(&offer));
#ifdef FIXED
  D3DKMT_RECLAIMALLOCATIONS2 reclaim = {
      .hPagingQueue = queue.hPagingQueue, .NumAllocations = 1, .HandleList = &allocation};
  NTSTATUS status = D3DKMTReclaimAllocations2(&reclaim);
  wait_for(&queue, status, reclaim.PagingFenceValue);
#endif
  if (D3DKMTLock2(&args) == STATUS_SUCCESS) unlock(device, allocation);
  destroy_list(device, &allocation, 1);
  destroy_queue(&queue);
}

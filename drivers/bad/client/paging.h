/* Paging queues and residency, for the clients that get something of it wrong. */
#ifndef BAD_CLIENT_PAGING_H
#define BAD_CLIENT_PAGING_H

#include "client.h"

static inline D3DKMT_CREATEPAGINGQUEUE create_queue(D3DKMT_HANDLE device) {
  D3DKMT_CREATEPAGINGQUEUE args = {.hDevice = device, .Priority = D3DDDI_PAGINGQUEUE_PRIORITY_NORMAL};
  MUST(D3DKMTCreatePagingQueue(&args));
  return args;
}

static inline void destroy_queue(const D3DKMT_CREATEPAGINGQUEUE* queue) {
  D3DDDI_DESTROYPAGINGQUEUE args = {queue->hPagingQueue};
  MUST(D3DKMTDestroyPagingQueue(&args));
}

/* Pending is success later. */
static inline void wait_for(const D3DKMT_CREATEPAGINGQUEUE* queue, NTSTATUS status, UINT64 value) {
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args = {
      .hDevice = queue->hDevice, .ObjectCount = 1, .ObjectHandleArray = &queue->hSyncObject, .FenceValueArray = &value};
  if (status == STATUS_PENDING) MUST(D3DKMTWaitForSynchronizationObjectFromCpu(&args));
}

static inline D3DDDI_MAKERESIDENT describe_resident(const D3DKMT_CREATEPAGINGQUEUE* queue,
                                                    const D3DKMT_HANDLE* allocation) {
  D3DDDI_MAKERESIDENT args = {.hPagingQueue = queue->hPagingQueue, .NumAllocations = 1, .AllocationList = allocation};
  return args;
}

static inline void make_resident(const D3DKMT_CREATEPAGINGQUEUE* queue, D3DDDI_MAKERESIDENT* args) {
  NTSTATUS status = D3DKMTMakeResident(args);
  wait_for(queue, status, args->PagingFenceValue);
}

static inline void evict(D3DKMT_HANDLE device, const D3DKMT_HANDLE* allocation) {
  D3DKMT_EVICT args = {.hDevice = device, .NumAllocations = 1, .AllocationList = allocation};
  D3DKMTEvict(&args);
}

#endif

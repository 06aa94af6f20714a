/* A program that keeps an allocation locked while it comes and goes: its bytes are in local memory, behind the bar, or
 * in system memory, and one thread writes them all the time. For a driver that has no other place for it. */
#include <pthread.h>
#include <stdint.h>

#include "client.h"

enum { kBytes = 64 * 4096, kWords = kBytes / 8, kRounds = 400 };

static D3DKMT_HANDLE g_device, g_queue, g_allocation;
static const volatile UINT64* g_fence;
static volatile uint64_t* g_words;
static volatile int g_done;

static void make_resident(void) {
  D3DDDI_MAKERESIDENT args = {0};
  args.hPagingQueue = g_queue;
  args.NumAllocations = 1;
  args.AllocationList = &g_allocation;
  NTSTATUS status = D3DKMTMakeResident(&args);
  MUST(status == STATUS_SUCCESS || status == STATUS_PENDING);
  while (status == STATUS_PENDING && *g_fence < args.PagingFenceValue) sched_yield();
}

static void evict(void) {
  D3DKMT_EVICT args = {0};
  args.hDevice = g_device;
  args.NumAllocations = 1;
  args.AllocationList = &g_allocation;
  MUST(D3DKMTEvict(&args) == STATUS_SUCCESS);
}

static void* write_words(void* unused) {
  for (uint64_t round = 1; round <= kRounds; ++round) {
    for (size_t i = 0; i < kWords; ++i) g_words[i] = round << 32 | i;
  }
  g_done = 1;
  return unused;
}

static int holds(void) {
  for (size_t i = 0; i < kWords; ++i) {
    if (g_words[i] != ((uint64_t)kRounds << 32 | i)) return 0;
  }
  return 1;
}

int main(void) {
  D3DKMT_HANDLE adapter = open_first_adapter();
  g_device = make_device(adapter);
  D3DKMT_CREATEPAGINGQUEUE queue = {0};
  queue.hDevice = g_device;
  MUST(D3DKMTCreatePagingQueue(&queue) == STATUS_SUCCESS);
  g_queue = queue.hPagingQueue;
  g_fence = queue.FenceValueCPUVirtualAddress;

  g_allocation = make_allocation_in(g_device, kBytes, SOFTGPU_SEGMENT_LOCAL);

  D3DKMT_LOCK2 lock = {0};
  lock.hDevice = g_device;
  lock.hAllocation = g_allocation;
  MUST(D3DKMTLock2(&lock) == STATUS_SUCCESS);
  g_words = lock.pData;

  pthread_t writer;
  MUST(pthread_create(&writer, NULL, &write_words, NULL) == 0);
  int moves = 0;
  for (; !g_done || moves < 4; ++moves) {
    make_resident();
    evict();
  }
  MUST(pthread_join(writer, NULL) == 0);
  MUST(holds());
  make_resident();
  MUST(holds());
  D3DKMT_LOCK2 again = lock;
  MUST(D3DKMTLock2(&again) == STATUS_SUCCESS && again.pData == lock.pData);
  D3DKMT_UNLOCK2 unlock = {g_device, g_allocation};
  MUST(D3DKMTUnlock2(&unlock) == STATUS_SUCCESS);
  MUST(holds());
  MUST(D3DKMTUnlock2(&unlock) == STATUS_SUCCESS);
  evict();
  MUST(D3DKMTLock2(&lock) == STATUS_SUCCESS && lock.pData == (void*)(uintptr_t)g_words);
  MUST(holds());
  MUST(D3DKMTUnlock2(&unlock) == STATUS_SUCCESS);

  destroy_allocation(g_device, g_allocation);
  D3DDDI_DESTROYPAGINGQUEUE destroy = {g_queue};
  MUST(D3DKMTDestroyPagingQueue(&destroy) == STATUS_SUCCESS);
  destroy_device(g_device);
  close_adapter(adapter);
  printf("%d moves\n", moves);
  return 0;
}

/* Commands that fill an allocation by its GPU address and do not run before they are let go, for the clients that take
 * something away which queued commands use. */
#ifndef BAD_CLIENT_HELD_WORK_H
#define BAD_CLIENT_HELD_WORK_H

#include "drivers/softgpu/proto/softgpu_build.h"
#include "paging.h"

typedef struct {
  D3DKMT_HANDLE device;
  D3DKMT_CREATEPAGINGQUEUE queue;
  D3DKMT_HANDLE context;
  D3DKMT_HANDLE fence; /* 1: let go. 2: done */
  GROUP commands, target;
  UINT64 commands_at, target_at;
} WORK;

/* Mapped for the GPU to write and to run, and resident. */
static inline UINT64 map_resident(const D3DKMT_CREATEPAGINGQUEUE* queue, D3DKMT_HANDLE allocation) {
  D3DDDI_MAPGPUVIRTUALADDRESS map = {
      .hPagingQueue = queue->hPagingQueue, .hAllocation = allocation, .SizeInPages = BYTES / 4096};
  D3DDDI_MAKERESIDENT args = describe_resident(queue, &allocation);
  map.Protection.Write = map.Protection.Execute = 1;
  NTSTATUS status = D3DKMTMapGpuVirtualAddress(&map);
  wait_for(queue, status, map.PagingFenceValue);
  make_resident(queue, &args);
  return map.VirtualAddress;
}

static inline D3DKMT_HANDLE create_fence(D3DKMT_HANDLE device) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args = {.hDevice = device};
  args.Info.Type = D3DDDI_MONITORED_FENCE;
  MUST(D3DKMTCreateSynchronizationObject2(&args));
  return args.hSyncObject;
}

static inline UINT write_fill(const WORK* work) {
  D3DKMT_LOCK2 args = {.hDevice = work->device, .hAllocation = work->commands.allocations[0]};
  SOFTGPU_BUILDER builder;
  MUST(D3DKMTLock2(&args));
  builder = softgpu_builder(args.pData, BYTES);
  softgpu_add_fill(&builder, work->target_at, BYTES, 0);
  unlock(work->device, work->commands.allocations[0]);
  return builder.used;
}

static inline void submit_behind_fence(const WORK* work, UINT length) {
  UINT64 go = 1, done = 2;
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait = {
      .hContext = work->context, .ObjectCount = 1, .ObjectHandleArray = &work->fence};
  D3DKMT_SUBMITCOMMAND submit = {.Commands = work->commands_at, .CommandLength = length, .BroadcastContextCount = 1};
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal = {
      .hContext = work->context, .ObjectCount = 1, .ObjectHandleArray = &work->fence};
  wait.MonitoredFenceValueArray = &go;
  signal.MonitoredFenceValueArray = &done;
  submit.BroadcastContext[0] = work->context;
  MUST(D3DKMTWaitForSynchronizationObjectFromGpu(&wait));
  MUST(D3DKMTSubmitCommand(&submit));
  MUST(D3DKMTSignalSynchronizationObjectFromGpu(&signal));
}

/* Fills that one; otherwise a buffer of its own. */
static inline WORK queue_work_on(D3DKMT_HANDLE device, GROUP target) {
  WORK work = {.device = device, .queue = create_queue(device), .target = target};
  D3DKMT_CREATECONTEXTVIRTUAL context = {.hDevice = device, .EngineAffinity = 1};
  MUST(D3DKMTCreateContextVirtual(&context));
  work.context = context.hContext;
  work.fence = create_fence(device);
  work.commands = create(device, ALONE, 1);
  work.commands_at = map_resident(&work.queue, work.commands.allocations[0]);
  work.target_at = map_resident(&work.queue, work.target.allocations[0]);
  submit_behind_fence(&work, write_fill(&work));
  return work;
}

static inline WORK queue_work(D3DKMT_HANDLE device) { return queue_work_on(device, create(device, ALONE, 1)); }

/* Lets them go, and waits until they are done or, where they use what is gone, the device has been lost. */
static inline void run_work(const WORK* work) {
  UINT64 go = 1, done = 2;
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {
      .hDevice = work->device, .ObjectCount = 1, .ObjectHandleArray = &work->fence, .FenceValueArray = &go};
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {
      .hDevice = work->device, .ObjectCount = 1, .ObjectHandleArray = &work->fence, .FenceValueArray = &done};
  MUST(D3DKMTSignalSynchronizationObjectFromCpu(&signal));
#ifdef FIXED
  MUST(D3DKMTWaitForSynchronizationObjectFromCpu(&wait));
#else
  D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
#endif
}

/* All but the target. */
static inline void end_work(const WORK* work) {
  D3DKMT_DESTROYCONTEXT context = {work->context};
  D3DKMT_DESTROYSYNCHRONIZATIONOBJECT fence = {work->fence};
  MUST(D3DKMTDestroyContext(&context));
  MUST(D3DKMTDestroySynchronizationObject(&fence));
  destroy_list(work->device, work->commands.allocations, 1);
  destroy_queue(&work->queue);
}

#endif

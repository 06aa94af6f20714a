// Workers: work items that run on system threads. Pages: ks/nf-ks-ksregisterworker, nf-ks-ksqueueworkitem,
// nf-ks-ksregistercountedworker.
#include "ks/device/worker.h"
#include "ks/exports/kernel_entry.h"

using ks::Fn;
using ks::KernelEntry;
using ks::Worker;

extern "C" {

NTSTATUS KsRegisterWorker(WORK_QUEUE_TYPE type, PKSWORKER* worker) {
  KernelEntry call{Fn::KsRegisterWorker};
  Worker* made = Worker::make(call.machine(), type, nullptr, call.drivers_scope());
  if (!made) return call.refuse(base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a worker"));
  *worker = made->handle();
  return STATUS_SUCCESS;
}

NTSTATUS KsRegisterCountedWorker(WORK_QUEUE_TYPE type, PWORK_QUEUE_ITEM item, PKSWORKER* worker) {
  KernelEntry call{Fn::KsRegisterCountedWorker};
  Worker* made = Worker::make(call.machine(), type, item, call.drivers_scope());
  if (!made) return call.refuse(base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for a worker"));
  *worker = made->handle();
  return STATUS_SUCCESS;
}

VOID KsUnregisterWorker(PKSWORKER worker) {
  KernelEntry call{Fn::KsUnregisterWorker};
  if (Worker* found = Worker::find(call.machine(), worker, call.name())) found->unregister();
}

NTSTATUS KsQueueWorkItem(PKSWORKER worker, PWORK_QUEUE_ITEM item) {
  KernelEntry call{Fn::KsQueueWorkItem};
  Worker* found = Worker::find(call.machine(), worker, call.name());
  if (!found) return STATUS_INVALID_PARAMETER;
  found->queue(*item);
  return STATUS_SUCCESS;
}

ULONG KsIncrementCountedWorker(PKSWORKER worker) {
  KernelEntry call{Fn::KsIncrementCountedWorker};
  Worker* found = Worker::find(call.machine(), worker, call.name());
  return found ? found->increment() : 0;
}

ULONG KsDecrementCountedWorker(PKSWORKER worker) {
  KernelEntry call{Fn::KsDecrementCountedWorker};
  Worker* found = Worker::find(call.machine(), worker, call.name());
  return found ? found->decrement() : 0;
}

}  // extern "C"

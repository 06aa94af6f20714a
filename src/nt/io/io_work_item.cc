// Work items. Pages: wdm/nf-wdm-ioallocateworkitem, nf-wdm-ioqueueworkitem, nf-wdm-exqueueworkitem, …
#include <fmt/format.h>

#include "nt/boundary/driver_call.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/ex/kernel_body.h"
#include "nt/ex/work_queues.h"
#include "nt/machine/driver_scope.h"
#include "nt/mm/pool.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Machine;
using nt::Violation;

namespace {

constexpr uint32_t kSignature = 0x7E3A10F1;
constexpr const char* kRoutine = "work item routine";

bool in_kernel_memory(Machine& machine, const void* item) {
  auto address = reinterpret_cast<uintptr_t>(item);
  auto block = machine.pool().find(address);
  return block && block->kind == nt::PoolKind::Internal && block->address == address && !block->freed;
}

bool known(KernelEntry& call, PIO_WORKITEM item, const char* function) {
  if (item->signature == kSignature) return true;
  call.machine().report_violation(Violation::NotInitialised,
                                  fmt::format("{} was given a work item that was never initialised", function));
  return false;
}

// A queued item is taken out of its queue, so that a run that goes on does not run it.
void take_back(KernelEntry& call, PIO_WORKITEM item, const char* function) {
  if (!call.machine().work_queues().queued(item)) return;
  call.machine().report_violation(Violation::WorkItemMisuse,
                                  fmt::format("{} was given a work item that is queued", function));
  call.machine().work_queues().forget(item);
}

template <typename Routine, typename... Args>
void queue(KernelEntry& call, const void* item, const void* holds, WORK_QUEUE_TYPE type, Routine* routine,
           Args... args) {
  Machine& machine = call.machine();
  nt::Scope* scope = nt::driver_scope(machine.self().scope);
  machine.work_queues().queue(
      {item, reinterpret_cast<uintptr_t>(routine),
       [&machine, scope, routine, args...] { nt::call_driver(machine, kRoutine, scope, routine, args...); }, holds},
      type);
  machine.executor().yield(base::Point::Call);
}

}  // namespace

extern "C" {

PIO_WORKITEM IoAllocateWorkItem(PDEVICE_OBJECT object) {
  KernelEntry call{Fn::IoAllocateWorkItem};
  void* memory = nt::allocate_body(call.machine(), sizeof(_IO_WORKITEM));
  if (!memory) return nullptr;
  auto* item = new (memory) _IO_WORKITEM{kSignature, object, {}};
  item->tracked.kind = nt::ResourceKind::WorkItem;
  call.machine().track(item->tracked);
  return item;
}

VOID IoFreeWorkItem(PIO_WORKITEM item) {
  KernelEntry call{Fn::IoFreeWorkItem};
  if (!in_kernel_memory(call.machine(), item)) {
    call.machine().report_violation(Violation::WorkItemMisuse,
                                    "IoFreeWorkItem was given what IoAllocateWorkItem did not return, or was freed");
    return;
  }
  take_back(call, item, "IoFreeWorkItem");
  call.machine().untrack(item->tracked);
  call.machine().pool().free(item, 0);
}

VOID IoInitializeWorkItem(PVOID object, PIO_WORKITEM item) {
  KernelEntry call{Fn::IoInitializeWorkItem};
  if (in_kernel_memory(call.machine(), item)) {
    call.machine().report_violation(Violation::WorkItemMisuse,
                                    "IoInitializeWorkItem was given a work item of IoAllocateWorkItem");
    return;
  }
  if (call.machine().work_queues().queued(item)) {
    call.machine().report_violation(Violation::ReinitialisedLive, "IoInitializeWorkItem of a work item that is queued");
    call.machine().work_queues().forget(item);
  }
  new (item) _IO_WORKITEM{kSignature, object, {}};
}

VOID IoUninitializeWorkItem(PIO_WORKITEM item) {
  KernelEntry call{Fn::IoUninitializeWorkItem};
  if (!known(call, item, "IoUninitializeWorkItem")) return;
  take_back(call, item, "IoUninitializeWorkItem");
  item->signature = 0;
}

ULONG IoSizeofWorkItem() {
  KernelEntry call{Fn::IoSizeofWorkItem};
  return sizeof(_IO_WORKITEM);
}

VOID IoQueueWorkItem(PIO_WORKITEM item, PIO_WORKITEM_ROUTINE routine, WORK_QUEUE_TYPE type, PVOID context) {
  KernelEntry call{Fn::IoQueueWorkItem};
  if (!known(call, item, "IoQueueWorkItem")) return;
  queue(call, item, item->io_object, type, routine, static_cast<PDEVICE_OBJECT>(item->io_object), context);
}

VOID IoQueueWorkItemEx(PIO_WORKITEM item, PIO_WORKITEM_ROUTINE_EX routine, WORK_QUEUE_TYPE type, PVOID context) {
  KernelEntry call{Fn::IoQueueWorkItemEx};
  if (!known(call, item, "IoQueueWorkItemEx")) return;
  queue(call, item, item->io_object, type, routine, item->io_object, context, item);
}

VOID ExQueueWorkItem(PWORK_QUEUE_ITEM item, WORK_QUEUE_TYPE type) {
  KernelEntry call{Fn::ExQueueWorkItem};
  if (!item->WorkerRoutine) {
    call.machine().report_violation(Violation::NotInitialised,
                                    "ExQueueWorkItem was given a work item that was never initialised");
    return;
  }
  queue(call, item, nullptr, type, item->WorkerRoutine, item->Parameter);
}

}  // extern "C"

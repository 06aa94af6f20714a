#include "ks/property/event_entry.h"

#include <fmt/format.h>

#include <new>

#include "ks/device/worker.h"
#include "ks/exports/callback.h"
#include "nt/boundary/address_check.h"
#include "nt/ex/kernel_handles.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/dpc_queues.h"
#include "nt/ke/process.h"
#include "nt/mm/pool.h"

namespace ks {
namespace {

base::Failure no_way(const char* why, base::Here where = base::Here::now()) {
  return base::Failure(STATUS_INVALID_PARAMETER, why, where);
}

// The kernel's object behind a handle of the program, or of the kernel.
base::Result<void*> object_of(const EventEntry::Origin& origin, HANDLE handle) {
  nt::Process* process = nt::Process::current();
  if (process && nt::Process::is_handle(handle)) return TRY(process->find(handle, *ExEventObjectType)).body;
  if (origin.mode == UserMode) return base::Failure(STATUS_INVALID_HANDLE, "no handle of the program's");
  return TRY(origin.machine.handles().find(handle, *ExEventObjectType)).body;
}

base::Result<void*> kernels_object(const EventEntry::Origin& origin, void* object) {
  if (origin.mode == UserMode) return no_way("only kernel mode is notified through an object of the kernel");
  if (!object) return no_way("the event's data names no object");
  return object;
}

}  // namespace

base::Result<void*> EventEntry::resolve(const Origin& origin) {
  const KSEVENTDATA& how = origin.notification;
  if (origin.flags & KSEVENT_TYPE_ENABLEBUFFERED && how.NotificationType == 0) return nullptr;
  switch (how.NotificationType) {
    case KSEVENTF_EVENT_HANDLE:
      return object_of(origin, how.EventHandle.Event);
    case KSEVENTF_SEMAPHORE_HANDLE:
      return base::Failure(STATUS_INVALID_HANDLE, "this machine gives out no handles of semaphores");
    case KSEVENTF_EVENT_OBJECT:
      return kernels_object(origin, how.EventObject.Event);
    case KSEVENTF_SEMAPHORE_OBJECT:
      return kernels_object(origin, how.SemaphoreObject.Semaphore);
    case KSEVENTF_DPC:
      return kernels_object(origin, how.Dpc.Dpc);
    case KSEVENTF_WORKITEM:
      return kernels_object(origin, how.WorkItem.WorkQueueItem);
    case KSEVENTF_KSWORKITEM:
      return kernels_object(origin, how.KsWorkItem.WorkQueueItem);
    default:
      return no_way("NotificationType names no one way to notify");
  }
}

EventEntry::EventEntry(const Origin& origin, void* object)
    : machine_(origin.machine),
      scope_(origin.scope),
      drivers_(origin.drivers),
      flags_(origin.flags),
      notification_(origin.notification) {
  KSEVENT_ENTRY& entry = **this;
  entry.Object = object;
  entry.EventData = origin.clients;
  entry.NotificationType = origin.notification.NotificationType;
  entry.EventSet = &origin.set;
  entry.EventItem = &origin.item;
  entry.FileObject = origin.file;
  if (entry.NotificationType == KSEVENTF_SEMAPHORE_OBJECT) {
    entry.SemaphoreAdjustment = static_cast<ULONG>(notification_.SemaphoreObject.Adjustment);
  }
}

base::Result<KSEVENT_ENTRY*> EventEntry::make(const Origin& origin) {
  void* object = TRY(resolve(origin));
  size_t bytes = sizeof(EventEntry) + sizeof(KSEVENT_ENTRY) + origin.item.ExtraEntryData;
  void* memory = origin.machine.pool().allocate(bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  if (!memory) return base::Failure(STATUS_INSUFFICIENT_RESOURCES, "no memory for an event");
  return &**new (memory) EventEntry(origin, object);
}

EventEntry& EventEntry::of(KSEVENT_ENTRY& entry) { return reinterpret_cast<EventEntry*>(&entry)[-1]; }

EventEntry* EventEntry::find(nt::Machine& machine, KSEVENT_ENTRY* entry, const char* by) {
  if (entry && nt::is_address_valid(machine, reinterpret_cast<uintptr_t>(&of(*entry))) &&
      of(*entry).signature_ == kSignature) {
    return &of(*entry);
  }
  machine.report_violation(nt::Violation::NotInitialised,
                           fmt::format("{} was given something that is no enabled event", by));
  return nullptr;
}

bool EventEntry::matches(const GUID* set, ULONG id) {
  KSEVENT_ENTRY& entry = **this;
  return entry.EventItem->EventId == id && (!set || *entry.EventSet->Set == *set);
}

void EventEntry::link(LIST_ENTRY& list) {
  KSEVENT_ENTRY& entry = **this;
  InsertTailList(&list, &entry.ListEntry);
  linked_ = true;
}

NTSTATUS EventEntry::notify(const void* data, ULONG bytes) {
  if (buffered()) {
    const auto* from = static_cast<const uint8_t*>(data);
    kept_.emplace_back(from, from + (from ? bytes : 0));
  }
  return signal();
}

NTSTATUS EventEntry::signal() {
  KSEVENT_ENTRY& entry = **this;
  switch (entry.NotificationType) {
    case 0:
      return STATUS_SUCCESS;
    case KSEVENTF_EVENT_HANDLE:
    case KSEVENTF_EVENT_OBJECT:
      machine_.dispatcher().set_event(*static_cast<KEVENT*>(entry.Object));
      return STATUS_SUCCESS;
    case KSEVENTF_SEMAPHORE_OBJECT:
      return machine_.dispatcher()
          .release_semaphore(*static_cast<KSEMAPHORE*>(entry.Object), static_cast<LONG>(entry.SemaphoreAdjustment))
          .status();
    case KSEVENTF_DPC:
      machine_.dpcs().insert(*static_cast<KDPC*>(entry.Object), entry.EventData, nullptr, scope_);
      return STATUS_SUCCESS;
    case KSEVENTF_WORKITEM:
      ExQueueWorkItem(static_cast<WORK_QUEUE_ITEM*>(entry.Object), notification_.WorkItem.WorkQueueType);
      return STATUS_SUCCESS;
    case KSEVENTF_KSWORKITEM: {
      Worker* worker = Worker::find(machine_, notification_.KsWorkItem.KsWorkerObject, "an event");
      if (worker) worker->queue(*static_cast<WORK_QUEUE_ITEM*>(entry.Object));
      return worker ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
    }
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

void EventEntry::remove(FILE_OBJECT* file) {
  KSEVENT_ENTRY& entry = **this;
  if (PFNKSREMOVEEVENT handler = entry.EventItem->RemoveHandler) {
    if (drivers_) {
      call(machine_, Ddi::RemoveEvent, scope_, handler, file, &entry);
    } else {
      handler(file, &entry);
    }
  }
  // The driver's handler should have done this; what it left in would be a pointer to freed memory.
  bool still_in = linked_ && entry.ListEntry.Flink->Blink == &entry.ListEntry;
  if (still_in) RemoveEntryList(&entry.ListEntry);
  linked_ = false;
}

void EventEntry::discard() {
  nt::Machine& machine = machine_;
  signature_ = 0;
  this->~EventEntry();
  machine.pool().free(this, 0);
}

bool EventEntry::take_buffered(std::vector<uint8_t>& data) {
  if (kept_.empty()) return false;
  data = std::move(kept_.front());
  kept_.pop_front();
  return true;
}

}  // namespace ks

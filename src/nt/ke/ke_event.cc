// Events and semaphores. Pages: wdm/nf-wdm-keinitializeevent, nf-wdm-kesetevent, nf-wdm-kereleasesemaphore, …
#include "nt/boundary/kernel_entry.h"
#include "nt/fault/exception.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/wait_rules.h"

using nt::Fn;
using nt::KernelEntry;
using nt::ObjectType;

namespace {

bool known(KernelEntry& call, KEVENT& event, const char* function) {
  return call.machine().dispatcher().known(event.Header,
                                           {ObjectType::NotificationEvent, ObjectType::SynchronizationEvent}, function);
}

}  // namespace

extern "C" {

VOID KeInitializeEvent(PRKEVENT event, EVENT_TYPE type, BOOLEAN state) {
  KernelEntry call{Fn::KeInitializeEvent};
  ObjectType kind = type == ::NotificationEvent ? ObjectType::NotificationEvent : ObjectType::SynchronizationEvent;
  call.machine().dispatcher().initialise(event, sizeof(*event), kind, state ? 1 : 0);
}

LONG KeSetEvent(PRKEVENT event, KPRIORITY, BOOLEAN wait) {
  KernelEntry call{Fn::KeSetEvent};
  if (wait && !nt::may_block(call, "KeSetEvent with Wait set")) return 0;
  if (!known(call, *event, "KeSetEvent")) return 0;
  return call.machine().dispatcher().set_event(*event);
}

LONG KeResetEvent(PRKEVENT event) {
  KernelEntry call{Fn::KeResetEvent};
  if (!known(call, *event, "KeResetEvent")) return 0;
  return call.machine().dispatcher().reset(event->Header);
}

VOID KeClearEvent(PRKEVENT event) {
  KernelEntry call{Fn::KeClearEvent};
  if (known(call, *event, "KeClearEvent")) call.machine().dispatcher().reset(event->Header);
}

LONG KeReadStateEvent(PRKEVENT event) {
  KernelEntry call{Fn::KeReadStateEvent};
  return call.machine().dispatcher().read(event->Header);
}

VOID KeInitializeSemaphore(PRKSEMAPHORE semaphore, LONG count, LONG limit) {
  KernelEntry call{Fn::KeInitializeSemaphore};
  call.machine().dispatcher().initialise(semaphore, sizeof(*semaphore), ObjectType::Semaphore, count);
  semaphore->Limit = limit;
}

LONG KeReleaseSemaphore(PRKSEMAPHORE semaphore, KPRIORITY, LONG adjustment, BOOLEAN wait) {
  KernelEntry call{Fn::KeReleaseSemaphore};
  if (wait && !nt::may_block(call, "KeReleaseSemaphore with Wait set")) return 0;
  if (!call.machine().dispatcher().known(semaphore->Header, {ObjectType::Semaphore}, "KeReleaseSemaphore")) return 0;
  auto before = call.machine().dispatcher().release_semaphore(*semaphore, adjustment);
  if (!before.ok()) nt::raise_exception(call.machine(), before.failure());
  return before.take();
}

LONG KeReadStateSemaphore(PRKSEMAPHORE semaphore) {
  KernelEntry call{Fn::KeReadStateSemaphore};
  return call.machine().dispatcher().read(semaphore->Header);
}

}  // extern "C"

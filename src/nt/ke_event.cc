// Events and semaphores. Pages: wdm/nf-wdm-keinitializeevent, nf-wdm-kesetevent, nf-wdm-kereleasesemaphore, …
#include "nt/call.h"
#include "nt/dispatcher.h"
#include "nt/exception.h"
#include "nt/wait_rules.h"

using nt::Call;
using nt::Fn;
using nt::ObjectType;

namespace {

bool known(Call& call, KEVENT& event, const char* function) {
  return call.machine().dispatcher().known(event.Header,
                                           {ObjectType::NotificationEvent, ObjectType::SynchronizationEvent}, function);
}

}  // namespace

extern "C" {

VOID KeInitializeEvent(PRKEVENT event, EVENT_TYPE type, BOOLEAN state) {
  Call call{Fn::KeInitializeEvent};
  ObjectType kind = type == ::NotificationEvent ? ObjectType::NotificationEvent : ObjectType::SynchronizationEvent;
  call.machine().dispatcher().initialise(event, sizeof(*event), kind, state ? 1 : 0);
}

LONG KeSetEvent(PRKEVENT event, KPRIORITY, BOOLEAN wait) {
  Call call{Fn::KeSetEvent};
  if (wait && !nt::may_block(call, "KeSetEvent with Wait set")) return 0;
  if (!known(call, *event, "KeSetEvent")) return 0;
  return call.machine().dispatcher().set_event(*event);
}

LONG KeResetEvent(PRKEVENT event) {
  Call call{Fn::KeResetEvent};
  if (!known(call, *event, "KeResetEvent")) return 0;
  return call.machine().dispatcher().reset(event->Header);
}

VOID KeClearEvent(PRKEVENT event) {
  Call call{Fn::KeClearEvent};
  if (known(call, *event, "KeClearEvent")) call.machine().dispatcher().reset(event->Header);
}

LONG KeReadStateEvent(PRKEVENT event) {
  Call call{Fn::KeReadStateEvent};
  return call.machine().dispatcher().read(event->Header);
}

VOID KeInitializeSemaphore(PRKSEMAPHORE semaphore, LONG count, LONG limit) {
  Call call{Fn::KeInitializeSemaphore};
  call.machine().dispatcher().initialise(semaphore, sizeof(*semaphore), ObjectType::Semaphore, count);
  semaphore->Limit = limit;
}

LONG KeReleaseSemaphore(PRKSEMAPHORE semaphore, KPRIORITY, LONG adjustment, BOOLEAN wait) {
  Call call{Fn::KeReleaseSemaphore};
  if (wait && !nt::may_block(call, "KeReleaseSemaphore with Wait set")) return 0;
  if (!call.machine().dispatcher().known(semaphore->Header, {ObjectType::Semaphore}, "KeReleaseSemaphore")) return 0;
  auto before = call.machine().dispatcher().release_semaphore(*semaphore, adjustment);
  if (!before.ok()) nt::raise_exception(call.machine(), before.failure());
  return before.take();
}

LONG KeReadStateSemaphore(PRKSEMAPHORE semaphore) {
  Call call{Fn::KeReadStateSemaphore};
  return call.machine().dispatcher().read(semaphore->Header);
}

}  // extern "C"

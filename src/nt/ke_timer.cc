// Timers. Pages: wdm/nf-wdm-keinitializetimerex, nf-wdm-kesettimerex, nf-wdm-kecanceltimer, …
#include <fmt/format.h>

#include "nt/call.h"
#include "nt/dispatcher.h"
#include "nt/timers.h"

using nt::Call;
using nt::Fn;
using nt::ObjectType;

namespace {

void initialise(Call& call, KTIMER& timer, TIMER_TYPE type) {
  ObjectType kind = type == ::NotificationTimer ? ObjectType::NotificationTimer : ObjectType::SynchronizationTimer;
  call.machine().dispatcher().initialise(&timer, sizeof(timer), kind, 0);
  timer.DueTime = 0;
  timer.Dpc = nullptr;
  timer.Period = 0;
}

bool known(Call& call, KTIMER& timer, const char* function) {
  return call.machine().dispatcher().known(timer.Header,
                                           {ObjectType::NotificationTimer, ObjectType::SynchronizationTimer}, function);
}

BOOLEAN set(Call& call, KTIMER& timer, LARGE_INTEGER due, uint32_t period_ms, PKDPC dpc, const char* function) {
  if (!known(call, timer, function)) return FALSE;
  if (dpc && dpc->Signature != nt::kDpcSignature) {
    call.machine().broke(nt::Broke::NotInitialised,
                         fmt::format("{} was given a DPC that was never initialised", function));
    dpc = nullptr;
  }
  bool was_armed = call.machine().timers().set(timer, call.machine().timers().deadline_of(due), period_ms, dpc);
  call.machine().executor().yield(base::Point::Signal);
  return was_armed;
}

}  // namespace

extern "C" {

VOID KeInitializeTimer(PKTIMER timer) {
  Call call{Fn::KeInitializeTimer};
  initialise(call, *timer, ::NotificationTimer);
}

VOID KeInitializeTimerEx(PKTIMER timer, TIMER_TYPE type) {
  Call call{Fn::KeInitializeTimerEx};
  initialise(call, *timer, type);
}

BOOLEAN KeSetTimer(PKTIMER timer, LARGE_INTEGER due, PKDPC dpc) {
  Call call{Fn::KeSetTimer};
  return set(call, *timer, due, 0, dpc, "KeSetTimer");
}

BOOLEAN KeSetTimerEx(PKTIMER timer, LARGE_INTEGER due, LONG period_ms, PKDPC dpc) {
  Call call{Fn::KeSetTimerEx};
  return set(call, *timer, due, period_ms > 0 ? static_cast<uint32_t>(period_ms) : 0, dpc, "KeSetTimerEx");
}

// The tolerable delay is permission to be late, which we never use.
BOOLEAN KeSetCoalescableTimer(PKTIMER timer, LARGE_INTEGER due, ULONG period_ms, ULONG, PKDPC dpc) {
  Call call{Fn::KeSetCoalescableTimer};
  return set(call, *timer, due, period_ms, dpc, "KeSetCoalescableTimer");
}

BOOLEAN KeCancelTimer(PKTIMER timer) {
  Call call{Fn::KeCancelTimer};
  if (!known(call, *timer, "KeCancelTimer")) return FALSE;
  call.machine().executor().yield(base::Point::Signal);
  return call.machine().timers().cancel(*timer);
}

BOOLEAN KeReadStateTimer(PKTIMER timer) {
  Call call{Fn::KeReadStateTimer};
  return call.machine().dispatcher().read(timer->Header) != 0;
}

}  // extern "C"

// Timers. Pages: wdm/nf-wdm-keinitializetimerex, nf-wdm-kesettimerex, nf-wdm-kecanceltimer, …
#include <fmt/format.h>

#include "nt/boundary/kernel_entry.h"
#include "nt/ke/dispatcher.h"
#include "nt/ke/timers.h"

using nt::Fn;
using nt::KernelEntry;
using nt::ObjectType;

namespace {

void initialise(KernelEntry& call, KTIMER& timer, TIMER_TYPE type) {
  ObjectType kind = type == ::NotificationTimer ? ObjectType::NotificationTimer : ObjectType::SynchronizationTimer;
  call.machine().dispatcher().initialise(&timer, sizeof(timer), kind, 0);
  timer.DueTime = 0;
  timer.Dpc = nullptr;
  timer.Period = 0;
}

bool known(KernelEntry& call, KTIMER& timer, const char* function) {
  return call.machine().dispatcher().known(timer.Header,
                                           {ObjectType::NotificationTimer, ObjectType::SynchronizationTimer}, function);
}

BOOLEAN set(KernelEntry& call, KTIMER& timer, LARGE_INTEGER due, uint32_t period_ms, PKDPC dpc, const char* function) {
  if (!known(call, timer, function)) return FALSE;
  if (dpc && dpc->Signature != nt::kDpcSignature) {
    call.machine().report_violation(nt::Violation::NotInitialised,
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
  KernelEntry call{Fn::KeInitializeTimer};
  initialise(call, *timer, ::NotificationTimer);
}

VOID KeInitializeTimerEx(PKTIMER timer, TIMER_TYPE type) {
  KernelEntry call{Fn::KeInitializeTimerEx};
  initialise(call, *timer, type);
}

BOOLEAN KeSetTimer(PKTIMER timer, LARGE_INTEGER due, PKDPC dpc) {
  KernelEntry call{Fn::KeSetTimer};
  return set(call, *timer, due, 0, dpc, "KeSetTimer");
}

BOOLEAN KeSetTimerEx(PKTIMER timer, LARGE_INTEGER due, LONG period_ms, PKDPC dpc) {
  KernelEntry call{Fn::KeSetTimerEx};
  return set(call, *timer, due, period_ms > 0 ? static_cast<uint32_t>(period_ms) : 0, dpc, "KeSetTimerEx");
}

// The tolerable delay is permission to be late, which we never use.
BOOLEAN KeSetCoalescableTimer(PKTIMER timer, LARGE_INTEGER due, ULONG period_ms, ULONG, PKDPC dpc) {
  KernelEntry call{Fn::KeSetCoalescableTimer};
  return set(call, *timer, due, period_ms, dpc, "KeSetCoalescableTimer");
}

BOOLEAN KeCancelTimer(PKTIMER timer) {
  KernelEntry call{Fn::KeCancelTimer};
  if (!known(call, *timer, "KeCancelTimer")) return FALSE;
  call.machine().executor().yield(base::Point::Signal);
  return call.machine().timers().cancel(*timer);
}

BOOLEAN KeReadStateTimer(PKTIMER timer) {
  KernelEntry call{Fn::KeReadStateTimer};
  return call.machine().dispatcher().read(timer->Header) != 0;
}

}  // extern "C"

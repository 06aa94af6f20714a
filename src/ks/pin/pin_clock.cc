// The clock that a pin provides. Pages: stream/avstream-clocks, ns-ks-_ksclock_dispatch.
#include "ks/clock/default_clock.h"
#include "ks/exports/callback.h"
#include "ks/pin/pin.h"

namespace ks {
namespace {

DefaultClock::Source source_of(Pin& pin, const KSCLOCK_DISPATCH* clock) {
  DefaultClock::Source source;
  if (!clock) return source;
  if (PFNKSPINCORRELATEDTIME routine = clock->CorrelatedTime) {
    source.correlated = [&pin, routine](LONGLONG* system_time) {
      return call(pin.machine(), Ddi::ClockCorrelatedTime, &pin.scope(), routine, &*pin, system_time);
    };
  }
  if (PFNKSPINSETTIMER routine = clock->SetTimer) {
    source.set_timer = [&pin, routine](KTIMER* timer, LARGE_INTEGER due, KDPC* dpc) {
      call(pin.machine(), Ddi::ClockSetTimer, &pin.scope(), routine, &*pin, timer, due, dpc);
    };
  }
  if (PFNKSPINCANCELTIMER routine = clock->CancelTimer) {
    source.cancel_timer = [&pin, routine](KTIMER* timer) {
      call(pin.machine(), Ddi::ClockCancelTimer, &pin.scope(), routine, &*pin, timer);
    };
  }
  if (PFNKSPINRESOLUTION routine = clock->Resolution) {
    source.resolution = [&pin, routine](KSRESOLUTION* resolution) {
      call(pin.machine(), Ddi::ClockResolution, &pin.scope(), routine, &*pin, resolution);
    };
  }
  return source;
}

}  // namespace

DefaultClock* Pin::own_clock() {
  const KSCLOCK_DISPATCH* clock = dispatch() ? dispatch()->Clock : nullptr;
  if (!own_clock_ && (clock || has_flag(KSPIN_FLAG_IMPLEMENT_CLOCK))) {
    if (DefaultClock* made = DefaultClock::make(system(), source_of(*this, clock)))
      own_clock_.reset(made, ReleaseClock{});
    tell_clock();
  }
  return own_clock_.get();
}

void Pin::tell_clock() {
  if (own_clock_) own_clock_->set_state(state_);
}

}  // namespace ks

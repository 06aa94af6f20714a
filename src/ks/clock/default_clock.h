#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "abi/ks/ks.h"
#include "base/mutex.h"
#include "ks/property/event_list.h"
#include "nt/machine/machine.h"

namespace ks {

class System;

// The clock behind what clients open: one per pin that provides a clock, or a driver's own (KsAllocateDefaultClockEx).
// Its time runs in KSSTATE_RUN, stands still in the others, and begins anew after KSSTATE_STOP (the last is ours). Lies
// in the machine's memory, as drivers know its address. Reference-counted: one for its owner and one for every file
// that is open on it. Any thread at DISPATCH_LEVEL or below.
class DefaultClock {
 public:
  // A driver's routines; empty: the machine's time, and a timer of the machine.
  struct Source {
    std::function<LONGLONG(LONGLONG* system_time)> correlated;
    std::function<void(KTIMER*, LARGE_INTEGER due, KDPC*)> set_timer;
    std::function<void(KTIMER*)> cancel_timer;
    std::function<void(KSRESOLUTION*)> resolution;
  };
  // Null when there is no memory. The caller has one reference.
  static DefaultClock* make(System& system, Source source);
  // Null, after a finding, for anything else.
  static DefaultClock* find(nt::Machine& machine, PKSDEFAULTCLOCK handle, const char* by);
  PKSDEFAULTCLOCK handle() { return this; }
  void reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();  // the last one frees it; at PASSIVE_LEVEL

  LONGLONG time();
  LONGLONG physical_time();  // runs whatever the state is
  LONGLONG correlated_time(LONGLONG* system_time);
  LONGLONG correlated_physical_time(LONGLONG* system_time);
  KSRESOLUTION resolution();
  KSSTATE state();
  void set_state(KSSTATE to);
  void set_time(LONGLONG time);

  EventList& events() { return events_; }
  // The marks of the events have changed, or how long it is until the first.
  void rearm();

 private:
  DefaultClock(System& system, Source source);
  ~DefaultClock();
  LONGLONG now_locked(LONGLONG system_time) const REQUIRES(lock_);
  static void expired(KDPC*, void* clock, void*, void*);
  void tell_marks();

  static constexpr uint64_t kSignature = 0x6b636f6c43736bu;
  uint64_t signature_ = kSignature;
  nt::Machine& machine_;
  const Source source_;
  EventList events_;
  std::atomic<uint32_t> references_{1};
  KTIMER* timer_;
  KDPC* dpc_;
  base::Mutex<base::LockRank::Adapter> lock_;
  KSSTATE state_ GUARDED_BY(lock_) = KSSTATE_STOP;
  LONGLONG base_ GUARDED_BY(lock_) = 0;   // the time when it last stood still
  LONGLONG since_ GUARDED_BY(lock_) = 0;  // when it began to run, in the machine's time
};

struct ReleaseClock {
  void operator()(DefaultClock* clock) const { clock->release(); }
};
using ClockHold = std::unique_ptr<DefaultClock, ReleaseClock>;

// The rest of a clock event's KSEVENT_ENTRY: the next time at which it is due.
struct ClockMark {
  LONGLONG time;
  LONGLONG interval;  // 0: once
};
inline constexpr LONGLONG kNeverDue = INT64_MAX;
inline ClockMark& mark_of(KSEVENT_ENTRY& entry) { return *reinterpret_cast<ClockMark*>(&entry + 1); }

}  // namespace ks

#pragma once

#include "base/sanitizer.h"
#include "nt/edge.h"
#include "nt/functions.h"
#include "nt/machine.h"

namespace nt {

// Stands first in every function that a driver can call: the documented IRQL is checked, the call is traced, and the
// sanitizer stops judging accesses until the driver has control again.
class Call {
 public:
  explicit Call(Fn fn) {
    base::stop_watching_races();
    t_edge.called = true;
    Thread* thread = Thread::current();
    if (!thread) return;  // a pure function called outside of any machine
#if DRYDOCK_TSAN
    ++thread->calls;
#endif
    const FunctionRow& limits = row(fn);
    if (__builtin_expect(thread->irql < limits.min_irql || thread->irql > limits.max_irql, 0)) wrong_irql(*thread, fn);
    thread->machine.note(trace::KernelCall{.name = limits.name});
  }
  ~Call() {
#if DRYDOCK_TSAN
    if (Thread* thread = Thread::current()) --thread->calls;
#endif
    base::watch_races();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  static Machine& machine() { return *Machine::current(); }
  static Thread& thread() { return *Thread::current(); }

 private:
  static void wrong_irql(Thread& thread, Fn fn);
};

}  // namespace nt

#pragma once

#include "nt/boundary/functions.h"
#include "nt/boundary/kernel_code.h"
#include "nt/machine/machine.h"

namespace nt {

// Reports a function that was called outside of its documented IRQL range.
void report_wrong_irql(Thread& thread, Violation what, const char* function, KIRQL lowest, KIRQL highest);

inline void check_irql(Thread& thread, Violation too_low, Violation too_high, const char* function, KIRQL lowest,
                       KIRQL highest) {
  if (__builtin_expect(thread.irql < lowest, 0)) report_wrong_irql(thread, too_low, function, lowest, highest);
  if (__builtin_expect(thread.irql > highest, 0)) report_wrong_irql(thread, too_high, function, lowest, highest);
}

// The first statement of every function that a driver can call. It checks the documented IRQL, traces the call, and
// keeps the sanitizer from reporting our accesses until the function returns to the driver.
class KernelEntry {
 public:
  explicit KernelEntry(Fn fn) {
    Thread* thread = Thread::current();
    if (!thread) return;  // a pure function called outside of any machine
    const FunctionRow& limits = row(fn);
    check_irql(*thread, Violation::IrqlTooLow, Violation::IrqlTooHigh, limits.name, limits.min_irql, limits.max_irql);
    thread->machine.note(trace::KernelCall{.name = limits.name});
  }
  KernelEntry(const KernelEntry&) = delete;
  KernelEntry& operator=(const KernelEntry&) = delete;

  static Machine& machine() { return *Machine::current(); }
  static Thread& thread() { return *Thread::current(); }

 private:
  KernelCode code_;
};

}  // namespace nt

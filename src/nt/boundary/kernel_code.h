#pragma once

#include "base/sanitizer.h"
#include "nt/machine/edge.h"
#include "nt/machine/thread.h"

namespace nt {

// For as long as one lives, our own code runs on a thread that the machine takes to be in a driver: in a function that
// the driver called, or in a DPC. No race is reported for its accesses. Also outside of any machine.
class [[nodiscard]] KernelCode {
 public:
  KernelCode() {
    base::stop_watching_races();
    t_edge.called = true;
#if DRYDOCK_TSAN
    if (Thread* thread = Thread::current()) ++thread->calls;
#endif
  }
  ~KernelCode() {
#if DRYDOCK_TSAN
    if (Thread* thread = Thread::current()) --thread->calls;
#endif
    base::watch_races();
  }
  KernelCode(const KernelCode&) = delete;
  KernelCode& operator=(const KernelCode&) = delete;
};

}  // namespace nt

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
    Thread* thread = Thread::current();
    if (!thread) return;
#if DRYDOCK_TSAN
    ++thread->calls;
#endif
    if (thread->left_driver_at != 0) return;  // our own code called this function
    thread->left_driver_at = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    left_ = thread;
  }
  ~KernelCode() {
#if DRYDOCK_TSAN
    if (Thread* thread = Thread::current()) --thread->calls;
#endif
    if (left_) left_->left_driver_at = 0;
    base::watch_races();
  }
  KernelCode(const KernelCode&) = delete;
  KernelCode& operator=(const KernelCode&) = delete;

 private:
  Thread* left_ = nullptr;  // the thread that left the driver with this call
};

}  // namespace nt

#pragma once

#include <utility>

#include "nt/machine.h"

namespace umd {

// While one lives the calling thread is in the kernel on behalf of a driver of user mode: what begins there (a thread,
// a queue) is the machine's and does not belong to the driver.
class KernelScope {
 public:
  KernelScope()
      : thread_(*nt::Thread::current()), outer_(std::exchange(thread_.scope, &thread_.machine.root_scope())) {}
  ~KernelScope() { thread_.scope = outer_; }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

 private:
  nt::Thread& thread_;
  nt::Scope* outer_;
};

}  // namespace umd

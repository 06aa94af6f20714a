#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "abi/km/d3dkmddi.h"
#include "nt/machine/machine.h"

namespace dxgk {

class AllocationView;
class Process;

// Allocations that a driver is opening right now: until that call returns, only the driver may use their handles.
struct OpeningViews {
  AllocationView* const* views;
  uint32_t count;
  bool creating;  // by the device that creates them
};

// What the graphics kernel knows about the calling thread: for which process it runs, and which allocations it is
// opening. Lives on that thread's stack; a list from the innermost outward.
class ThreadContext {
 public:
  explicit ThreadContext(Process* for_process, const OpeningViews* half_open = nullptr)
      : process(for_process),
        opening(half_open),
        thread_(*nt::Thread::current()),
        outer_(std::exchange(thread_.port_context, this)) {}
  ~ThreadContext() { thread_.port_context = outer_; }
  ThreadContext(const ThreadContext&) = delete;
  ThreadContext& operator=(const ThreadContext&) = delete;

  // Null on a thread that works for no client process: an interrupt, a system thread.
  static const ThreadContext* current() {
    nt::Thread* thread = nt::Thread::current();
    return thread ? static_cast<const ThreadContext*>(thread->port_context) : nullptr;
  }

  Process* const process;
  const OpeningViews* const opening;
  // The handle that the driver last asked about in vain, unless it asked again and got an answer.
  mutable std::optional<D3DKMT_HANDLE> unresolved;

 private:
  nt::Thread& thread_;
  void* outer_;
};

}  // namespace dxgk

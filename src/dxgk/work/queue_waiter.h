#pragma once

#include <span>

#include "dxgk/work/submission.h"
#include "vidsch/sync_object.h"

namespace dxgk {

class Gpu;
class Kernel;

// A wait in a context's queue. Made by the scheduler when the wait's turn comes; holds a reference to itself while it
// waits.
class QueueWaiter final : public vidsch::Waiter {
 public:
  QueueWaiter(Gpu& gpu, Submission& waiting) : packet(&waiting), gpu_(gpu) {}

  // True if there is nothing to wait for. Under the scheduler's lock.
  bool begin_wait(Kernel& kernel, std::span<const FenceValue> points, bool any);
  // The queue goes on without it, or goes away.
  void forget(Kernel& kernel);

  Submission* packet;  // null once it is forgotten; the scheduler's lock

 private:
  void wake() override;

  Gpu& gpu_;
};

}  // namespace dxgk

#pragma once

#include "dxgk/sync/fence_memory.h"
#include "vidsch/monitored_fence.h"

namespace dxgk {

class CpuWait;
class Device;

// What the synchronisation objects of one kernel share: the lock around their values and waiters, the memory that the
// values lie in, the fences that a GPU may move, and the waits of the CPU. Owned by the kernel; any thread.
class Fences {
 public:
  explicit Fences(nt::Machine& machine) : machine_(machine), memory_(base::make_ref<FenceMemory>(machine)) {}
  Fences(const Fences&) = delete;
  Fences& operator=(const Fences&) = delete;

  nt::Machine& machine() { return machine_; }
  FenceMemory& memory() { return *memory_; }
  vidsch::SyncLock& lock() RETURN_CAPABILITY(lock_) { return lock_; }
  vidsch::WatchedFences& watched() { return watched_; }  // to be used under the lock

  // Calls `act(WokenList&)` under the lock, then wakes the waiters without it.
  template <typename F>
  void act(F&& act) EXCLUDES(lock_) {
    vidsch::WokenList woken;
    {
      base::Guard guard(lock_);
      act(woken);
    }
    woken.deliver();
  }

  // A GPU may have written fences: wakes the waiters whose values are reached. After each completion; at any IRQL up to
  // DISPATCH_LEVEL. Of many fences it looks at those that devices wrote.
  void sample();
  // The device is lost or destroyed: every wait of the CPU through it ends. A blocked thread gets
  // STATUS_DEVICE_REMOVED, and an event is set so that no thread hangs (policy: the documents are silent).
  void end_waits(const Device& device);

 private:
  friend class CpuWait;
  void list(CpuWait& wait) REQUIRES(lock_);
  void unlist(CpuWait& wait) REQUIRES(lock_);  // if it is listed

  nt::Machine& machine_;
  const base::Ref<FenceMemory> memory_;
  vidsch::SyncLock lock_;
  vidsch::WatchedFences watched_ GUARDED_BY(lock_);
  std::vector<nt::WriteLog::Range> written_ GUARDED_BY(lock_);  // of the sample() under way
  CpuWait* first_wait_ GUARDED_BY(lock_) = nullptr;
};

}  // namespace dxgk

#pragma once

#include <atomic>
#include <cstdint>

#include "abi/ks/ks.h"
#include "nt/machine/machine.h"

namespace ks {

// ALLOC requests that wait for a frame, in the order they came. Guarded by the cancel spin lock, as KS does it
// ("filter-specific-allocators"). Owned by its allocator; any thread at DISPATCH_LEVEL or below.
class WaitingAllocs {
 public:
  explicit WaitingAllocs(nt::Machine& machine);
  WaitingAllocs(const WaitingAllocs&) = delete;
  WaitingAllocs& operator=(const WaitingAllocs&) = delete;

  // Tells the machine that the cancel routine is the host's own. Once, before the first request.
  static void own_routines(nt::Machine& machine);

  // Marks it pending and puts it last; `answer` is where its frame is to be written. False, and nothing was done, when
  // it is cancelled or the list accepts no requests any more.
  bool add(IRP& irp, void** answer);
  // The first one, which can no longer be cancelled; null when there is none.
  IRP* take();
  static void** answer_of(const IRP& irp);
  // From now on no request may wait; those that do are completed as cancelled.
  void shut();

  uint32_t count() const { return count_.load(std::memory_order_acquire); }
  uint32_t most() const { return most_.load(std::memory_order_relaxed); }

 private:
  static void cancelled(DEVICE_OBJECT* device, IRP* irp);
  void unlink(IRP& irp);

  nt::Machine& machine_;
  LIST_ENTRY list_;
  bool shut_ = false;
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> most_{0};
};

}  // namespace ks

#pragma once

#include "allocation.h"

namespace softgpu {

class Context;

// What the device has in the GPU's memory, and the paging queue that brings it there; where commands have addresses.
// Part of its context. Memory is made resident when a command first names it, and stays so until room is needed.
class Residency {
 public:
  explicit Residency(const Kernel& kernel) : kernel_(kernel) {}

  HRESULT create();
  HRESULT destroy();

  // Mapped and resident, or on the way to it: the next batch has to wait for paging(). What is evicted for it is not
  // used by the batch that `context` builds.
  HRESULT prepare(Context& context, Allocation& allocation);
  // Makes `bytes` of room, the longest unused first, but nothing of the batch being built.
  HRESULT trim(Context& context, uint64_t bytes);
  void forget(Allocation& allocation);
  // Takes back what was offered; it can be used after paging().
  HRESULT reclaim(HANDLE resource, BOOL* discarded);

  D3DKMT_HANDLE fence() const { return fence_; }
  // The value of the fence to wait for before what was prepared can be used; 0 if all of it can.
  uint64_t paging() const;

 private:
  HRESULT map(Allocation& allocation);
  HRESULT make_resident(Context& context, Allocation& allocation);
  HRESULT request(Allocation& allocation, bool cannot_trim, uint64_t* bytes_to_trim);
  HRESULT evict(Allocation& allocation);
  void pending(uint64_t value) {
    if (value > wanted_) wanted_ = value;
  }
  void append(Allocation& allocation);
  void unlink(Allocation& allocation);

  const Kernel& kernel_;
  D3DKMT_HANDLE queue_ = 0;
  D3DKMT_HANDLE fence_ = 0;
  const volatile uint64_t* reached_ = nullptr;
  uint64_t wanted_ = 0;
  Allocation* newest_ = nullptr;
  Allocation* oldest_ = nullptr;
};

}  // namespace softgpu

#pragma once

#include <span>
#include <vector>

#include "base/ref.h"
#include "base/result.h"
#include "dxgk/work/dma_buffer.h"

namespace dxgk {

class Device;

// The DMA buffers into which a driver writes presents of a context with GPU virtual addresses: in the machine's memory,
// each at an address of the context's process. Owned by the context; with its process's mutex held.
class PresentMemory {
 public:
  explicit PresentMemory(Context& context);
  PresentMemory(const PresentMemory&) = delete;
  PresentMemory& operator=(const PresentMemory&) = delete;

  // An empty buffer for a present that uses `listed`.
  base::Result<base::Ref<DmaContents>> take(std::span<const ListedAllocation> listed, const base::Ref<PresentUse>& use);
  // Nothing of the context is queued any more: the addresses go, and then the memory. With no mutex held.
  void close();

 private:
  base::Result<> map(DmaMemory& memory);

  Context& context_;
  base::Ref<DmaPool> pool_;
};

// Makes the allocations of one present reachable for the GPU: they have addresses of the process, and are on the
// device's residency list until this object is destroyed. Kept by the packets of the present; destroyed on any thread,
// up to DISPATCH_LEVEL.
//
// The addresses are the kernel's own, as a client may free its own ones while the present is queued. They stay until
// the allocation is closed: an allocation that is presented once is usually presented again.
class PresentUse final : public base::RefCounted {
 public:
  // STATUS_NO_MEMORY; STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION. With the mutex held.
  static base::Result<base::Ref<PresentUse>> create(Context& context, std::span<const ListedAllocation> listed);
  ~PresentUse() override;

 private:
  explicit PresentUse(Device& device) : device_(device) {}

  Device& device_;
  std::vector<base::Ref<Allocation>> resident_;
};

}  // namespace dxgk

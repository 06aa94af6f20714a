#pragma once

#include <span>
#include <vector>

#include "base/ref.h"
#include "base/result.h"
#include "dxgk/dma_buffer.h"

namespace dxgk {

class Device;

// The DMA buffers into which a driver writes presents of a context with GPU virtual addresses: in the machine's memory,
// each at an address of the context's process. Owned by the context; inside of its process's gate.
class PresentMemory {
 public:
  explicit PresentMemory(Context& context);
  PresentMemory(const PresentMemory&) = delete;
  PresentMemory& operator=(const PresentMemory&) = delete;

  // An empty buffer for a present that uses `listed`.
  base::Result<base::Ref<DmaContents>> take(std::span<const ListedAllocation> listed, const base::Ref<PresentUse>& use);
  // Nothing of the context is queued any more: the addresses go, and then the memory. Outside of every gate.
  void close();

 private:
  base::Result<> map(DmaMemory& memory);

  Context& context_;
  base::Ref<DmaPool> pool_;
};

// What one present uses, where the GPU finds it: at addresses of the process, and on the device's list of what is
// resident until this goes. Kept by the packets of the present; it goes on any thread, up to DISPATCH_LEVEL.
//
// The addresses are the kernel's own, as a client may free its own ones while the present is queued. They stay until
// the allocation is closed: whoever presents it once does so again.
class PresentUse final : public base::RefCounted {
 public:
  // STATUS_NO_MEMORY; STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION. Inside of the gate.
  static base::Result<base::Ref<PresentUse>> create(Context& context, std::span<const ListedAllocation> listed);
  ~PresentUse() override;

 private:
  explicit PresentUse(Device& device) : device_(device) {}

  Device& device_;
  std::vector<base::Ref<Allocation>> resident_;
};

}  // namespace dxgk

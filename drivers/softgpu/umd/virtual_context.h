#pragma once

#include "context.h"
#include "residency.h"

namespace softgpu {

// A context whose commands hold GPU virtual addresses. Batches lie in a ring of command buffers that are the driver's
// own allocations; each ends by signalling a monitored fence with its number, which says when its buffer can be used
// again, and which waits are made of.
class VirtualContext final : public Context {
 public:
  explicit VirtualContext(const Kernel& kernel) : Context(kernel), residency_(kernel) {}

  HRESULT create() override;
  HRESULT destroy() override;
  bool fits(uint32_t packet_bytes, uint32_t operands) const override;
  HRESULT add(const SOFTGPU_HEADER& packet, const Operand* operands, uint32_t count) override;
  HRESULT submit() override;
  bool done(uint64_t batch) const override;
  HRESULT wait(uint64_t batch) override;
  void forget(Allocation& allocation) override { residency_.forget(allocation); }

  Residency& residency() { return residency_; }

 private:
  static constexpr uint32_t kBuffers = 8;
  static constexpr uint32_t kBufferBytes = 64 * 1024;

  struct Buffer {
    Allocation memory;
    uint8_t* bytes;
  };

  HRESULT create_context();
  HRESULT create_fence();
  HRESULT create_buffers();
  HRESULT destroy_buffers();
  HRESULT destroy_fence();
  HRESULT begin();
  HRESULT wait_for_paging();
  HRESULT send(uint64_t address);
  // A dropped batch counts with those before it.
  uint64_t awaited(uint64_t batch) const { return batch < submitted_ ? batch : submitted_; }

  Residency residency_;
  D3DKMT_HANDLE fence_ = 0;
  uint64_t fence_address_ = 0;
  const volatile uint64_t* reached_ = nullptr;
  uint64_t submitted_ = 0;  // the last batch that was
  Buffer buffers_[kBuffers] = {};
  uint32_t current_ = 0;
};

}  // namespace softgpu

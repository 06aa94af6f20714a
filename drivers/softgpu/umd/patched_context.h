#pragma once

#include "context.h"

namespace softgpu {

// A context whose commands are patched by the kernel-mode driver: every address has an entry in the patch location
// list, every allocation one in the allocation list. Buffer and lists are the runtime's, and new ones after each batch.
class PatchedContext final : public Context {
 public:
  explicit PatchedContext(const Kernel& kernel) : Context(kernel) {}

  HRESULT create() override;
  HRESULT destroy() override;
  bool fits(uint32_t packet_bytes, uint32_t operands) const override;
  HRESULT add(const SOFTGPU_HEADER& packet, const Operand* operands, uint32_t count) override;
  HRESULT submit() override;
  bool done(uint64_t) const override { return false; }
  HRESULT wait(uint64_t) override { return E_NOTIMPL; }
  void forget(Allocation& allocation) override { allocation.listed_in = 0; }

 private:
  void list(Allocation& allocation, bool written);

  uint8_t* commands_ = nullptr;
  uint32_t command_bytes_ = 0;
  D3DDDI_ALLOCATIONLIST* allocations_ = nullptr;
  uint32_t allocation_room_ = 0;
  uint32_t allocation_count_ = 0;
  D3DDDI_PATCHLOCATIONLIST* patches_ = nullptr;
  uint32_t patch_room_ = 0;
  uint32_t patch_count_ = 0;
};

}  // namespace softgpu

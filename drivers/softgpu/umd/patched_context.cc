#include "patched_context.h"

#include <string.h>

#include "softgpu_regs.h"

namespace softgpu {

HRESULT PatchedContext::create() {
  D3DDDICB_CREATECONTEXT args = {};
  args.NodeOrdinal = SOFTGPU_ENGINE_RENDER;
  args.EngineAffinity = 1;
  HRESULT result = kernel_.call.pfnCreateContextCb(kernel_.device, &args);
  if (FAILED(result)) return result;
  handle_ = args.hContext;
  commands_ = static_cast<uint8_t*>(args.pCommandBuffer);
  command_bytes_ = args.CommandBufferSize;
  allocations_ = args.pAllocationList;
  allocation_room_ = args.AllocationListSize;
  patches_ = args.pPatchLocationList;
  patch_room_ = args.PatchLocationListSize;
  return S_OK;
}

HRESULT PatchedContext::destroy() {
  if (!handle_) return S_OK;
  D3DDDICB_DESTROYCONTEXT args = {handle_};
  handle_ = nullptr;
  return insist([&] { return kernel_.call.pfnDestroyContextCb(kernel_.device, &args); });
}

bool PatchedContext::fits(uint32_t packet_bytes, uint32_t operands) const {
  return packet_bytes <= command_bytes_ - used_ && operands <= allocation_room_ - allocation_count_ &&
         operands <= patch_room_ - patch_count_;
}

// Each allocation once.
void PatchedContext::list(Allocation& allocation, bool written) {
  if (allocation.listed_in != batch_) {
    allocation.listed_in = batch_;
    allocation.list_index = allocation_count_++;
    allocations_[allocation.list_index] = {};
    allocations_[allocation.list_index].hAllocation = allocation.handle;
  }
  if (written) allocations_[allocation.list_index].WriteOperation = 1;
  note_use(allocation, written);
}

HRESULT PatchedContext::add(const SOFTGPU_HEADER& packet, const Operand* operands, uint32_t count) {
  uint32_t bytes = packet.qwords * 8u;
  if (!fits(bytes, count)) return D3DERR_DRIVERINTERNALERROR;
  memcpy(commands_ + used_, &packet, bytes);
  for (uint32_t i = 0; i < count; ++i) {
    const Operand& operand = operands[i];
    list(*operand.allocation, operand.written);
    D3DDDI_PATCHLOCATIONLIST patch = {};
    patch.AllocationIndex = operand.allocation->list_index;
    patch.AllocationOffset = static_cast<UINT>(operand.offset);
    patch.PatchOffset = used_ + operand.field;
    patches_[patch_count_++] = patch;
  }
  used_ += bytes;
  return S_OK;
}

// Without a new buffer the old one is still ours.
HRESULT PatchedContext::submit() {
  if (empty()) return S_OK;
  D3DDDICB_RENDER args = {};
  args.hContext = handle_;
  args.CommandLength = used_;
  args.NumAllocations = allocation_count_;
  args.NumPatchLocations = patch_count_;
  args.NewCommandBufferSize = command_bytes_;
  args.NewAllocationListSize = allocation_room_;
  args.NewPatchLocationListSize = patch_room_;
  used_ = allocation_count_ = patch_count_ = 0;
  ++batch_;
  HRESULT result = kernel_.call.pfnRenderCb(kernel_.device, &args);
  if (FAILED(result)) return result;
  commands_ = static_cast<uint8_t*>(args.pNewCommandBuffer);
  command_bytes_ = args.NewCommandBufferSize;
  allocations_ = args.pNewAllocationList;
  allocation_room_ = args.NewAllocationListSize;
  patches_ = args.pNewPatchLocationList;
  patch_room_ = args.NewPatchLocationListSize;
  return S_OK;
}

}  // namespace softgpu

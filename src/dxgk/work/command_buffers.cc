#include "dxgk/work/command_buffers.h"

#include <algorithm>

#include "dxgk/adapter/adapter.h"
#include "dxgk/object/context.h"

namespace dxgk {
namespace {

// Ours: the documents name no limits.
constexpr uint32_t kMostCommandBytes = 4u << 20;
constexpr uint32_t kMostListed = 1u << 16;

}  // namespace

base::Result<> CommandBuffers::List::make(uint32_t elements, size_t element_bytes) {
  auto fresh = std::make_unique<vidmm::Backing>();
  void* at = elements ? TRY(fresh->map(elements * element_bytes)) : nullptr;
  backing = std::move(fresh);
  address = at;
  count = elements;
  return {};
}

base::Result<> CommandBuffers::make(const DXGK_CONTEXTINFO& info) {
  private_bytes_ = info.DmaBufferPrivateDataSize;
  TRY(commands_.make(info.DmaBufferSize, 1));
  TRY(allocations_.make(info.AllocationListSize, sizeof(D3DDDI_ALLOCATIONLIST)));
  TRY(patches_.make(info.PatchLocationListSize, sizeof(D3DDDI_PATCHLOCATIONLIST)));
  for (List* list : {&commands_, &allocations_, &patches_}) list->least = list->count;
  return {};
}

void CommandBuffers::resize(List& list, uint32_t wanted, uint32_t most, size_t element_bytes) {
  uint32_t count = std::max(list.least, std::min(wanted, most));
  if (wanted != 0 && count != list.count) static_cast<void>(list.make(count, element_bytes));
}

void CommandBuffers::resize(const Sizes& sizes) {
  resize(commands_, sizes.command_bytes, kMostCommandBytes, 1);
  resize(allocations_, sizes.allocations, kMostListed, sizeof(D3DDDI_ALLOCATIONLIST));
  resize(patches_, sizes.patches, kMostListed, sizeof(D3DDDI_PATCHLOCATIONLIST));
}

// A context that only synchronises has no commands, and neither has one whose commands lie at virtual addresses: it
// gets no buffers, and D3DKMTRender refuses it.
base::Result<std::reference_wrapper<CommandBuffers>> Context::make_command_buffers() {
  CHECK(!command_buffers_);
  const AdapterCaps& caps = adapter().caps();
  command_buffers_ = std::make_unique<CommandBuffers>(adapter());
  if (caps.gpu_mmu || virtual_addressing() || synchronization_only()) return std::ref(*command_buffers_);
  if (info_.DmaBufferSegmentSet & ~caps.aperture_set()) {
    device_->machine().report_violation(nt::Violation::ContextSegmentsWrong,
                                        "DxgkDdiCreateContext wants DMA buffers in a segment that is no aperture "
                                        "(DmaBufferSegmentSet)");
    return base::Failure(STATUS_INVALID_PARAMETER, "the driver wants DMA buffers in a segment that is no aperture");
  }
  if (info_.DmaBufferSegmentSet != 0) {
    return base::Failure(STATUS_NOT_SUPPORTED, "the driver wants its DMA buffers mapped into an aperture segment");
  }
  TRY(command_buffers_->make(info_));
  return std::ref(*command_buffers_);
}

}  // namespace dxgk

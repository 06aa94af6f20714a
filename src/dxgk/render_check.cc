#include "dxgk/render_check.h"

#include <fmt/format.h>

namespace dxgk {
namespace {

using nt::Broke;

PatchFault fault(Broke what, size_t index, const std::string& about) {
  return {what, fmt::format("element {} of the patch-location list that DxgkDdiRender wrote {}", index, about)};
}

}  // namespace

std::optional<PatchFault> check_patches(std::span<const D3DDDI_PATCHLOCATIONLIST> patches, const PatchBounds& bounds) {
  UINT last_split = 0;
  for (size_t i = 0; i < patches.size(); ++i) {
    const D3DDDI_PATCHLOCATIONLIST& entry = patches[i];
    if (entry.AllocationIndex >= bounds.allocations) {
      return fault(Broke::PatchIndexWrong, i,
                   fmt::format("names allocation {} of {}", entry.AllocationIndex, bounds.allocations));
    }
    if (entry.PatchOffset >= bounds.bytes) {
      return fault(Broke::PatchOffsetWrong, i,
                   fmt::format("is at offset {} of a DMA buffer with {} bytes", entry.PatchOffset, bounds.bytes));
    }
    if (entry.SlotId > bounds.most_slots) {
      return fault(Broke::PatchSlotWrong, i,
                   fmt::format("has slot {}, and MaxAllocationListSlotId is {}", static_cast<UINT>(entry.SlotId),
                               bounds.most_slots));
    }
    if (entry.SplitOffset > entry.PatchOffset) {
      return fault(Broke::PatchSplitWrong, i,
                   fmt::format("is at offset {}, before its SplitOffset {}", entry.PatchOffset, entry.SplitOffset));
    }
    if (entry.SplitOffset < last_split) {
      return fault(Broke::PatchSplitWrong, i,
                   fmt::format("has SplitOffset {}, after one of {}", entry.SplitOffset, last_split));
    }
    last_split = entry.SplitOffset;
  }
  return std::nullopt;
}

}  // namespace dxgk

#include "dxgk/work/render_check.h"

#include <fmt/format.h>

namespace dxgk {
namespace {

using nt::Violation;

struct Element {
  const char* ddi;
  size_t index;
};

PatchFault fault(Violation what, const Element& element, const std::string& about) {
  return {what,
          fmt::format("element {} of the patch-location list that {} wrote {}", element.index, element.ddi, about)};
}

}  // namespace

std::optional<PatchFault> check_patches(std::span<const D3DDDI_PATCHLOCATIONLIST> patches, const PatchBounds& bounds) {
  UINT last_split = 0;
  for (size_t i = 0; i < patches.size(); ++i) {
    const D3DDDI_PATCHLOCATIONLIST& entry = patches[i];
    Element element{bounds.ddi, i};
    if (entry.AllocationIndex >= bounds.allocations) {
      return fault(Violation::PatchIndexWrong, element,
                   fmt::format("names allocation {} of {}", entry.AllocationIndex, bounds.allocations));
    }
    if (entry.PatchOffset >= bounds.bytes) {
      return fault(Violation::PatchOffsetWrong, element,
                   fmt::format("is at offset {} of a DMA buffer with {} bytes", entry.PatchOffset, bounds.bytes));
    }
    if (entry.SlotId > bounds.most_slots) {
      return fault(Violation::PatchSlotWrong, element,
                   fmt::format("has slot {}, and MaxAllocationListSlotId is {}", static_cast<UINT>(entry.SlotId),
                               bounds.most_slots));
    }
    if (entry.SplitOffset > entry.PatchOffset) {
      return fault(Violation::PatchSplitWrong, element,
                   fmt::format("is at offset {}, before its SplitOffset {}", entry.PatchOffset, entry.SplitOffset));
    }
    if (entry.SplitOffset < last_split) {
      return fault(Violation::PatchSplitWrong, element,
                   fmt::format("has SplitOffset {}, after one of {}", entry.SplitOffset, last_split));
    }
    last_split = entry.SplitOffset;
  }
  return std::nullopt;
}

}  // namespace dxgk

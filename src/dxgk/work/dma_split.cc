#include "dxgk/work/dma_split.h"

#include <algorithm>
#include <set>

namespace dxgk {
namespace {

// Walks along the list and remembers the last place where the current part could end.
class Splitter {
 public:
  Splitter(std::span<const D3DDDI_PATCHLOCATIONLIST> patches, uint32_t bytes, PartRoom& room)
      : patches_(patches), bytes_(bytes), room_(room) {}

  std::vector<DmaPart> run() {
    room_.clear();
    for (uint32_t i = 0; i < patches_.size();) {
      if (may_cut_before(i)) cut_ = i;
      bool fits = room_.add(patches_[i].AllocationIndex);
      if (!fits && cut_ > first_) {
        i = end_part(cut_);
        continue;
      }
      if (room_.is_null(patches_[i].AllocationIndex)) {
        slots_.erase(patches_[i].SlotId);
      } else {
        slots_.insert(patches_[i].SlotId);
      }
      last_offset_ = std::max(last_offset_, patches_[i].PatchOffset);
      ++i;
    }
    parts_.push_back({from_, bytes_, first_, static_cast<uint32_t>(patches_.size()) - first_});
    return std::move(parts_);
  }

 private:
  bool may_cut_before(uint32_t i) const {
    uint32_t offset = patches_[i].SplitOffset;
    if (i == first_ || offset <= from_ || offset == patches_[i - 1].SplitOffset) return false;
    // Everything that was named before must lie completely before the cut.
    if (last_offset_ >= offset) return false;
    std::set<uint32_t> kept = slots_;
    for (uint32_t at = i; at < patches_.size() && patches_[at].SplitOffset == offset; ++at) {
      kept.erase(patches_[at].SlotId);
    }
    return kept.empty();
  }

  uint32_t end_part(uint32_t next) {
    uint32_t to = patches_[next].SplitOffset;
    parts_.push_back({from_, to, first_, next - first_});
    from_ = to;
    first_ = cut_ = next;
    last_offset_ = 0;
    slots_.clear();
    room_.clear();
    return next;
  }

  const std::span<const D3DDDI_PATCHLOCATIONLIST> patches_;
  const uint32_t bytes_;
  PartRoom& room_;
  std::vector<DmaPart> parts_;
  uint32_t from_ = 0;
  uint32_t first_ = 0;
  uint32_t cut_ = 0;
  UINT last_offset_ = 0;      // the last patched offset in the part
  std::set<uint32_t> slots_;  // the slots that the part has filled
};

}  // namespace

std::vector<DmaPart> split(std::span<const D3DDDI_PATCHLOCATIONLIST> patches, uint32_t bytes, PartRoom& room) {
  room.clear();
  bool fits = std::all_of(patches.begin(), patches.end(),
                          [&](const D3DDDI_PATCHLOCATIONLIST& entry) { return room.add(entry.AllocationIndex); });
  if (fits) return {{0, bytes, 0, static_cast<uint32_t>(patches.size())}};
  return Splitter(patches, bytes, room).run();
}

}  // namespace dxgk

#include "ks/allocator/allocator_frames.h"

#include <algorithm>

#include "base/check.h"

namespace ks {
namespace {

constexpr size_t kFirstSlots = 64;
constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;  // the golden ratio: neighbours go far apart

}  // namespace

AllocatorFrames::AllocatorFrames(size_t frame_bytes)
    : frame_bytes_(std::max<size_t>(frame_bytes, 1)), slots_(kFirstSlots) {}

size_t AllocatorFrames::home(uint64_t cell) const {
  uint64_t group = (cell / kGroup * kSpread) >> 20;
  return (group * kGroup + cell % kGroup) & (slots_.size() - 1);
}

size_t AllocatorFrames::find(uint64_t wanted) const {
  size_t at = home(wanted);
  while (slots_[at].frame && cell(slots_[at].frame) != wanted) at = (at + 1) & (slots_.size() - 1);
  return at;
}

uintptr_t AllocatorFrames::overlapped(uintptr_t frame) const {
  uint64_t middle = cell(frame);
  for (uint64_t near : {middle, middle - 1, middle + 1}) {
    uintptr_t other = slots_[find(near)].frame;
    if (other && std::max(other, frame) - std::min(other, frame) < frame_bytes_) return other;
  }
  return 0;
}

uintptr_t AllocatorFrames::insert(uintptr_t frame) {
  if (uintptr_t other = overlapped(frame)) return other;
  if ((count_ + 1) * 2 > slots_.size()) grow();
  slots_[find(cell(frame))] = {frame, ++last_number_};
  ++count_;
  return 0;
}

// Entries behind the hole move up, so that no look-up stops at the hole.
bool AllocatorFrames::erase(uintptr_t frame) {
  size_t hole = find(cell(frame));
  if (slots_[hole].frame != frame || !frame) return false;
  size_t mask = slots_.size() - 1;
  for (size_t at = (hole + 1) & mask; slots_[at].frame; at = (at + 1) & mask) {
    size_t from_home = (at - home(cell(slots_[at].frame))) & mask;
    if (from_home >= ((at - hole) & mask)) {
      slots_[hole] = slots_[at];
      hole = at;
    }
  }
  slots_[hole] = {};
  --count_;
  return true;
}

bool AllocatorFrames::contains(uintptr_t frame) const { return frame && slots_[find(cell(frame))].frame == frame; }

void AllocatorFrames::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.frame) slots_[find(cell(slot.frame))] = slot;
  }
}

std::vector<uintptr_t> AllocatorFrames::in_order() const {
  std::vector<Slot> held;
  std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(held),
               [](const Slot& slot) { return slot.frame != 0; });
  std::sort(held.begin(), held.end(), [](const Slot& a, const Slot& b) { return a.number < b.number; });
  std::vector<uintptr_t> frames;
  for (const Slot& slot : held) frames.push_back(slot.frame);
  return frames;
}

bool AllocatorFrames::validate() const {
  std::vector<uintptr_t> frames = in_order();
  if (frames.size() != count_ || count_ * 2 > slots_.size()) return false;
  std::sort(frames.begin(), frames.end());
  for (size_t i = 1; i < frames.size(); ++i) {
    if (frames[i] - frames[i - 1] < frame_bytes_) return false;
  }
  return std::all_of(frames.begin(), frames.end(), [&](uintptr_t frame) { return contains(frame); });
}

}  // namespace ks

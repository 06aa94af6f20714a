#include "ob/closed_shadow.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/executor.h"

namespace ob {

CloseSite CloseSite::current() {
  base::Task* task = base::Executor::current();
  return {.stack = 0, .thread = task ? task->ordinal() : 0};
}

ClosedShadow::ClosedShadow(uint32_t capacity) : capacity_(capacity), entries_(new Entry[capacity]) {
  CHECK(std::has_single_bit(capacity));
}

void ClosedShadow::record(uint64_t handle, CloseSite site) {
  uint64_t turn = last_turn_.fetch_add(1, std::memory_order_relaxed) + 1;
  Entry& place = entry(turn);
  uint64_t held = place.turn.load(std::memory_order_relaxed);
  // A place that is being written, or holds a later close than ours, is left alone. kBusy is greater than any turn.
  if (held > turn || !place.turn.compare_exchange_strong(held, kBusy, std::memory_order_acq_rel)) return;
  // Release, each: a reader that sees one of these also sees kBusy, and drops what it read.
  place.handle.store(handle, std::memory_order_release);
  place.site.store(uint64_t{site.stack} << 32 | site.thread, std::memory_order_release);
  place.turn.store(turn, std::memory_order_release);
}

std::optional<ClosedShadow::Record> ClosedShadow::find(uint64_t handle) const {
  uint64_t newest = last_turn_.load(std::memory_order_acquire);
  uint64_t oldest = newest - std::min<uint64_t>(newest, capacity_);
  for (uint64_t turn = newest; turn > oldest; --turn) {
    const Entry& place = entry(turn);
    if (place.turn.load(std::memory_order_acquire) != turn) continue;
    uint64_t found = place.handle.load(std::memory_order_acquire);
    uint64_t site = place.site.load(std::memory_order_acquire);
    if (place.turn.load(std::memory_order_relaxed) != turn || found != handle) continue;
    return Record{.site = {.stack = static_cast<base::StackId>(site >> 32), .thread = static_cast<uint32_t>(site)},
                  .closes_ago = newest - turn};
  }
  return std::nullopt;
}

bool ClosedShadow::validate() const {
  uint64_t newest = last_turn_.load(std::memory_order_relaxed);
  for (uint64_t place = 0; place < capacity_; ++place) {
    uint64_t turn = entries_[place].turn.load(std::memory_order_relaxed);
    if (turn == 0 && newest < capacity_) continue;
    if (turn == 0 || turn > newest || (turn & (capacity_ - 1)) != place) return false;
  }
  return true;
}

}  // namespace ob

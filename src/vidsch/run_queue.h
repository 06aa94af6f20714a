#pragma once

#include <bit>
#include <cstdint>

#include "vidsch/context.h"

namespace vidsch {

// The contexts of one node that have a packet for it, by level; in turn within a level. Part of a Node.
class RunQueue {
 public:
  bool empty() const { return occupied_ == 0; }
  // The context whose turn it is on the highest level; null when empty.
  Context* best() const { return occupied_ ? levels_[top()].front() : nullptr; }
  // No other context on the highest level.
  bool best_is_alone() const { return levels_[top()].single(); }
  void push_back(Context& context);
  void push_front(Context& context);
  void remove(Context& context);
  // The first of the highest level goes behind its equals.
  void rotate();

  bool validate() const;

 private:
  uint32_t top() const { return 63 - static_cast<uint32_t>(std::countl_zero(occupied_)); }

  uint64_t occupied_ = 0;  // one bit per level
  IntrusiveList<Context, WorkTag> levels_[kLevels];
};

}  // namespace vidsch

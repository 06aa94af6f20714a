#include "vidsch/run_queue.h"

namespace vidsch {

void RunQueue::push_back(Context& context) {
  levels_[context.level()].push_back(context);
  occupied_ |= uint64_t{1} << context.level();
}

void RunQueue::push_front(Context& context) {
  levels_[context.level()].push_front(context);
  occupied_ |= uint64_t{1} << context.level();
}

void RunQueue::remove(Context& context) {
  auto& level = levels_[context.level()];
  level.remove(context);
  if (level.empty()) occupied_ &= ~(uint64_t{1} << context.level());
}

void RunQueue::rotate() {
  auto& level = levels_[top()];
  level.push_back(*level.pop_front());
}

bool RunQueue::validate() const {
  for (uint32_t level = 0; level < kLevels; ++level) {
    if (levels_[level].empty() == ((occupied_ >> level & 1) != 0)) return false;
    for (const Context* c = levels_[level].front(); c; c = levels_[level].after(*c)) {
      if (c->level() != level || c->place_ != Context::Place::RunQueue || !c->cursor_) return false;
    }
  }
  return true;
}

}  // namespace vidsch

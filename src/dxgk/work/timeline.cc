#include "dxgk/work/timeline.h"

#include "base/check.h"

namespace dxgk {

void Timeline::complete(uint64_t value) {
  CHECK(value <= queued());
  uint64_t before = completed_.load(std::memory_order_relaxed);
  while (before < value && !completed_.compare_exchange_weak(before, value, std::memory_order_acq_rel)) {
  }
  if (before < value) listener_.timeline_moved();
}

}  // namespace dxgk

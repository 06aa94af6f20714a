#include "dxgk/queue_waiter.h"

#include "base/small_vector.h"
#include "dxgk/gpu.h"
#include "dxgk/kernel.h"

namespace dxgk {

bool QueueWaiter::begin_wait(Kernel& kernel, std::span<const FenceValue> points, bool any) {
  base::SmallVector<Condition, 4> conditions;
  for (const FenceValue& point : points) conditions.push_back({&point.object->state(), point.value});
  base::Guard guard(kernel.sync_lock());
  return begin({conditions.begin(), conditions.size()}, any ? Need::Any : Need::All);
}

void QueueWaiter::forget(Kernel& kernel) {
  {
    base::Guard guard(kernel.sync_lock());
    cancel();
  }
  gpu_.forget(*this);  // it may have been woken just now
}

void QueueWaiter::wake() { gpu_.wake(*this); }

}  // namespace dxgk

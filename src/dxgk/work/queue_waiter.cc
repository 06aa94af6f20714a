#include "dxgk/work/queue_waiter.h"

#include <boost/container/small_vector.hpp>

#include "dxgk/adapter/kernel.h"
#include "dxgk/work/gpu.h"

namespace dxgk {

bool QueueWaiter::begin_wait(Kernel& kernel, std::span<const FenceValue> points, bool any) {
  boost::container::small_vector<Condition, 4> conditions;
  for (const FenceValue& point : points) conditions.push_back({&point.object->state(), point.value});
  base::Guard guard(kernel.sync_lock());
  return begin({conditions.data(), conditions.size()}, any ? Need::Any : Need::All);
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

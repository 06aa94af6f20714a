#pragma once

#include <atomic>

#include "dxgk/sync/client_event.h"
#include "ob/unpublished_object.h"

namespace dxgk::testing {

// For tests: an event that says how often it was set.
class CountingEvent final : public ClientEvent {
 public:
  static ob::UnpublishedObject<CountingEvent> create(ob::Ordinals& ordinals) {
    return ob::UnpublishedObject<CountingEvent>::adopt(new CountingEvent(ordinals));
  }
  void set() override { sets_.fetch_add(1, std::memory_order_acq_rel); }
  uint32_t sets() const { return sets_.load(std::memory_order_acquire); }
  // As an event that resets itself is waited for: whether it was set since this was last asked.
  bool take() { return sets_.exchange(0, std::memory_order_acq_rel) != 0; }

 private:
  explicit CountingEvent(ob::Ordinals& ordinals) : ClientEvent(ordinals) {}
  std::atomic<uint32_t> sets_{0};
};

}  // namespace dxgk::testing

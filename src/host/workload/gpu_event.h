#pragma once

#include <atomic>

#include "dxgk/sync/client_event.h"
#include "dxgk/sync/condition.h"
#include "kmt/client/client.h"
#include "ob/unpublished_object.h"

namespace host {

// An event as a client of scenarios has one: set by the graphics kernel, waited for on one thread. Kept by the client's
// handle.
class GpuEvent final : public dxgk::ClientEvent {
 public:
  // The handle is the client's, and closed with it.
  static base::Ref<GpuEvent> make(kmt::Client& client, HANDLE* handle) {
    auto event = ob::UnpublishedObject<GpuEvent>::adopt(new GpuEvent(client));
    base::Ref<GpuEvent> kept = event.ref();
    auto published = client.handles().publish(std::move(event));
    CHECK(published.ok());
    *handle = published.take();
    return kept;
  }

  void set() override {
    sets_.fetch_add(1, std::memory_order_acq_rel);
    changes_.notify(machine_);
  }
  void wait_for(uint32_t sets) {
    changes_.wait(machine_, [&] { return sets_.load(std::memory_order_acquire) >= sets; });
  }

 private:
  explicit GpuEvent(kmt::Client& client) : ClientEvent(client.kernel().ordinals()), machine_(client.machine()) {}

  nt::Machine& machine_;
  std::atomic<uint32_t> sets_{0};
  dxgk::Condition changes_;
};

}  // namespace host

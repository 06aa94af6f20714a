#pragma once

#include <atomic>
#include <cstdint>

#include "ob/fresh.h"
#include "ob/object.h"

namespace ob {

// What happened to the probes of one test. Any thread.
struct ProbeLog {
  std::atomic<uint32_t> last_handles{0};  // calls of on_last_handle_closed
  std::atomic<uint32_t> deaths{0};        // destructors
};

// An object that reports the end of its two lives. Touched by any thread of a test.
template <ObjectKind Kind>
class Probe final : public Object {
 public:
  static constexpr ObjectKind kKind = Kind;

  static Fresh<Probe> create(Ordinals& ordinals, ProbeLog& log) {
    return Fresh<Probe>::adopt(new Probe(ordinals, log));
  }

  uint64_t handle = 0;                      // what it was published as, for tests that compare
  void (*at_last_handle)(void*) = nullptr;  // run by on_last_handle_closed
  void* argument = nullptr;

  bool in_use() const { return !ended_.load(std::memory_order_acquire); }

 private:
  Probe(Ordinals& ordinals, ProbeLog& log) : Object(kKind, ordinals), log_(log) {}
  ~Probe() override { log_.deaths.fetch_add(1, std::memory_order_relaxed); }

  void on_last_handle_closed() override {
    log_.last_handles.fetch_add(1, std::memory_order_relaxed);
    ended_.store(true, std::memory_order_release);
    if (at_last_handle) at_last_handle(argument);
  }

  ProbeLog& log_;
  std::atomic<bool> ended_{false};
};

using DeviceProbe = Probe<ObjectKind::Device>;
using EventProbe = Probe<ObjectKind::Event>;

}  // namespace ob

#pragma once

#include <atomic>

#include "abi/ks/ks.h"
#include "ks/stream/process_loop.h"
#include "nt/machine/scope.h"

namespace ks {

class Queue;

// The state from which on a pin with these flags is processed (KSPIN_DESCRIPTOR_EX).
inline KSSTATE minimum_processing_state(ULONG flags) {
  return flags & KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY ? KSSTATE_RUN : KSSTATE_PAUSE;
}

// Pin-centric processing: the driver's Process of one pin, called while frames are at or ahead of the leading edge.
// Owned by the pin's processor; its loop calls it.
class PinProcess final : public ProcessLoop::Work {
 public:
  PinProcess(nt::Machine& machine, KSPIN& body, Queue& queue, nt::Scope* scope)
      : machine_(machine), body_(body), queue_(queue), scope_(scope) {}

  // The pin has entered, or left, the states in which it is processed.
  void set_active(bool active) { active_.store(active, std::memory_order_relaxed); }
  bool active() const { return active_.load(std::memory_order_relaxed); }
  void count_arrival() { arrivals_.fetch_add(1, std::memory_order_relaxed); }

  bool ready() override;
  ProcessLoop::Outcome run() override;
  uint64_t progress() override;
  uint64_t arrivals() override { return arrivals_.load(std::memory_order_relaxed); }
  bool cloned() override;

 private:
  nt::Machine& machine_;
  KSPIN& body_;
  Queue& queue_;
  nt::Scope* const scope_;
  std::atomic<bool> active_{false};
  std::atomic<uint64_t> arrivals_{0};
};

// What a status of Process means. STATUS_SUCCESS goes on, STATUS_PENDING waits; an error waits too, which is documented
// for filters (PFNKSFILTERPROCESS) and ours for pins.
inline ProcessLoop::Outcome outcome_of(NTSTATUS status) {
  return status == STATUS_SUCCESS ? ProcessLoop::Outcome::More : ProcessLoop::Outcome::Wait;
}

}  // namespace ks

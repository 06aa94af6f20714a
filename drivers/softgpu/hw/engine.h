#pragma once

#include <cstdint>

#include "softgpu/hw/command_processor.h"
#include "softgpu/hw/context_state.h"
#include "softgpu/hw/counters.h"
#include "softgpu/hw/fault.h"
#include "softgpu/hw/features.h"
#include "softgpu/hw/hooks.h"
#include "softgpu/hw/host.h"
#include "softgpu/hw/interrupts.h"
#include "softgpu/hw/memory.h"
#include "softgpu/hw/packet.h"
#include "softgpu/hw/stream.h"

namespace softgpu {

// One engine: takes packets from its ring, one at a time, each for as long as it costs. Owned by the device, whose
// parts outlive it. A register access has no other effect than that of the register: packets begin and end in
// advance().
//
//                    ┌──────────── nothing left ────────────┐
//   DISABLED ─enable─► IDLE ─doorbell─► RUNNING ──┬─ WAIT ──► WAITING ─ satisfied ─► RUNNING
//       ▲                                  │      ├─ preempt ► PREEMPTED ─ resume, discard
//       └───────────── reset ──────────────┴──────┴─ FAULTED, HUNG
class Engine {
 public:
  struct Parts {
    const Host& host;
    const Features& features;
    Memory& memory;
    CommandProcessor& processor;
    Interrupts& interrupts;
  };

  Engine(uint32_t index, const Parts& parts) : index_(index), parts_(parts) {}

  // By offsets in the engine's block: the register that begins there, with all of its bits.
  uint64_t read(uint32_t offset) const;
  void write(uint32_t offset, uint64_t value);
  Hooks& hooks() { return hooks_; }

  // When it next has something to do.
  uint64_t due() const { return due_; }
  // That time has come. True when memory was written that another engine may wait for.
  bool advance(uint64_t at);
  // Another engine wrote such memory.
  void look_again(uint64_t at);

  // Reset, whatever its hooks say.
  void reset();

 private:
  enum class Preempt { No, AtPacket, AtFence };

  void write_ring(uint32_t offset, uint64_t value);
  void ring_doorbell(uint32_t tail);
  void control(uint32_t command);
  void enable();
  void disable();
  void request_preemption(Preempt kind);
  void resume();
  void discard();

  void begin(uint64_t at);
  bool complete(uint64_t at);
  [[nodiscard]] Outcome execute(uint64_t at);
  [[nodiscard]] Outcome execute_on_memory(uint64_t at);
  [[nodiscard]] Outcome execute_fence();
  [[nodiscard]] Outcome execute_wait(uint64_t at);
  void finish_packet();
  [[nodiscard]] Outcome judge(const Packet& packet) const;
  bool may_preempt() const;
  bool preempt_if_asked();
  bool hang_if_asked();
  void stop_at(const Fault& fault);
  uint64_t cost_ns() const;
  void notify(uint32_t cause);
  void log(const char* what) const;

  const uint32_t index_;
  const Parts parts_;
  Stream stream_;
  ContextState context_;
  uint64_t fence_address_ = 0;
  uint64_t fence_current_ = 0;
  uint32_t state_ = SOFTGPU_STATE_DISABLED;
  uint64_t due_ = kNever;

  Packet packet_;               // the one that runs or waits
  bool in_flight_ = false;      // packet_ was begun
  bool in_submission_ = false;  // packets of the ring were run since its last FENCE
  uint64_t poll_ns_ = 0;        // until the next look at what a WAIT waits for

  Preempt preempt_ = Preempt::No;
  uint64_t preempt_fence_ = 0;

  uint32_t fault_status_ = SOFTGPU_FAULT_NONE;
  uint32_t fault_vmid_ = 0;
  uint64_t fault_address_ = 0;
  uint64_t fault_packet_ = 0;

  Counters counters_;
  Hooks hooks_;
};

}  // namespace softgpu

#include "softgpu/hw/engine.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace softgpu {
namespace {

constexpr uint64_t kDoorbellNs = 200;  // from a register write to the engine's noticing
constexpr uint64_t kFirstPollNs = 1'000;
constexpr uint64_t kLastPollNs = 128'000;  // polls become rarer up to this: a wait of seconds is not millions of steps

}  // namespace

// --- Control ---

void Engine::ring_doorbell(uint32_t tail) {
  stream_.ring().tail = tail;
  if (state_ == SOFTGPU_STATE_DISABLED) return;  // looked at when it is enabled
  if (state_ == SOFTGPU_STATE_FAULTED || state_ == SOFTGPU_STATE_HUNG) return;
  if (!stream_.ring().well_formed_tail()) {
    stop_at({SOFTGPU_FAULT_RING, Access::Read, stream_.ring().base + tail});
  } else if (state_ == SOFTGPU_STATE_IDLE) {
    state_ = SOFTGPU_STATE_RUNNING;
    due_ = parts_.host.now() + kDoorbellNs;
  }
}

void Engine::control(uint32_t command) {
  switch (command) {
    case SOFTGPU_CONTROL_ENABLE:
      return enable();
    case SOFTGPU_CONTROL_DISABLE:
      return disable();
    case SOFTGPU_CONTROL_RESET:
      if (parts_.features.has(SOFTGPU_FEATURE_ENGINE_RESET) && hooks_.reset_fails == 0) reset();
      return;
    case SOFTGPU_CONTROL_PREEMPT:
      return request_preemption(Preempt::AtPacket);
    case SOFTGPU_CONTROL_PREEMPT_AT_FENCE:
      return request_preemption(Preempt::AtFence);
    case SOFTGPU_CONTROL_RESUME:
      if (state_ == SOFTGPU_STATE_PREEMPTED) resume();
      return;
    case SOFTGPU_CONTROL_DISCARD:
      if (state_ == SOFTGPU_STATE_PREEMPTED) discard();
      return;
  }
}

void Engine::enable() {
  if (state_ != SOFTGPU_STATE_DISABLED) return;
  if (!stream_.ring().well_formed()) return stop_at({SOFTGPU_FAULT_RING, Access::Read, stream_.ring().base});
  resume();
}

void Engine::disable() {
  if (state_ == SOFTGPU_STATE_FAULTED || state_ == SOFTGPU_STATE_HUNG) return;
  state_ = SOFTGPU_STATE_DISABLED;
  due_ = kNever;
  in_flight_ = false;
  preempt_ = Preempt::No;
}

void Engine::reset() {
  log("reset");
  stream_ = Stream();
  context_.clear();
  fence_address_ = 0;
  state_ = SOFTGPU_STATE_DISABLED;
  due_ = kNever;
  in_flight_ = in_submission_ = false;
  preempt_ = Preempt::No;
  preempt_fence_ = 0;
  fault_status_ = SOFTGPU_FAULT_NONE;
  fault_vmid_ = 0;
  fault_address_ = fault_packet_ = 0;
  hooks_.hang = hooks_.fault = 0;
}

void Engine::request_preemption(Preempt kind) {
  if (!parts_.features.has(SOFTGPU_FEATURE_PREEMPTION) || hooks_.preempt_fails != 0) return;
  switch (state_) {
    case SOFTGPU_STATE_PREEMPTED:
      kind = Preempt::AtPacket;  // it has stopped already, wherever that was
      [[fallthrough]];
    case SOFTGPU_STATE_IDLE:
    case SOFTGPU_STATE_WAITING:
      due_ = std::min(due_, parts_.host.now() + kDoorbellNs);
      [[fallthrough]];
    case SOFTGPU_STATE_RUNNING:
      preempt_ = kind;
      return;
    default:
      return;  // not answered
  }
}

void Engine::resume() {
  state_ = stream_.empty() ? SOFTGPU_STATE_IDLE : SOFTGPU_STATE_RUNNING;
  due_ = stream_.empty() ? kNever : parts_.host.now() + kDoorbellNs;
}

void Engine::discard() {
  stream_.forget_buffers();
  stream_.ring().head = stream_.ring().tail;
  in_submission_ = false;
  resume();
}

// --- Packets ---

bool Engine::advance(uint64_t at) {
  due_ = kNever;
  bool stops_waiting = state_ == SOFTGPU_STATE_WAITING && may_preempt();
  bool signalled = in_flight_ && !stops_waiting && complete(at);
  if (due_ == kNever && state_ != SOFTGPU_STATE_FAULTED) begin(at);
  return signalled;
}

void Engine::look_again(uint64_t at) {
  if (state_ != SOFTGPU_STATE_WAITING) return;
  poll_ns_ = kFirstPollNs;
  due_ = std::min(due_, at);
}

void Engine::begin(uint64_t at) {
  if (preempt_if_asked()) return;
  if (stream_.empty()) {
    state_ = SOFTGPU_STATE_IDLE;
    return;
  }
  if (hang_if_asked()) return;

  state_ = SOFTGPU_STATE_RUNNING;
  packet_ = Packet();
  if (Outcome fault = stream_.fetch(parts_.memory, &packet_)) return stop_at(*fault);
  if (Outcome fault = judge(packet_)) return stop_at(*fault);
  in_flight_ = true;
  poll_ns_ = kFirstPollNs;
  due_ = at + cost_ns();
}

// True when it was a SIGNAL or a FENCE that is done.
bool Engine::complete(uint64_t at) {
  uint8_t opcode = packet_.header().opcode;
  if (Outcome fault = execute(at)) {
    stop_at(*fault);
    return false;
  }
  return opcode == SOFTGPU_CMD_SIGNAL || opcode == SOFTGPU_CMD_FENCE;
}

Outcome Engine::judge(const Packet& packet) const {
  const View view = stream_.view();
  const SOFTGPU_HEADER header = packet.header();
  const Fault bad{SOFTGPU_FAULT_COMMAND, Access::Execute, stream_.address()};
  if (!packet.well_formed()) return bad;
  if (packet.needs_privilege() && !view.privileged)
    return Fault{SOFTGPU_FAULT_PRIVILEGE, Access::Execute, stream_.address()};

  switch (header.opcode) {
    case SOFTGPU_CMD_END:
      if (stream_.depth() == 0) return bad;
      break;
    case SOFTGPU_CMD_KERNEL:
      if (index_ != SOFTGPU_ENGINE_RENDER || !parts_.features.has(SOFTGPU_FEATURE_COMPUTE)) return bad;
      break;
    case SOFTGPU_CMD_DRAW:
    case SOFTGPU_CMD_CLEAR_RECT:
    case SOFTGPU_CMD_COPY_RECT:
    case SOFTGPU_CMD_STRETCH_RECT:
      if (index_ != SOFTGPU_ENGINE_RENDER || !parts_.features.has(SOFTGPU_FEATURE_DRAWING)) return bad;
      break;
    case SOFTGPU_CMD_INDIRECT:
      if (stream_.depth() == SOFTGPU_INDIRECT_MAX_DEPTH) return bad;
      if (packet.as<SOFTGPU_INDIRECT>().address % 8 != 0) return bad;
      if (!view.privileged && header.argument != view.vmid)
        return Fault{SOFTGPU_FAULT_PRIVILEGE, Access::Execute, stream_.address()};
      break;
  }
  return {};
}

Outcome Engine::execute(uint64_t at) {
  const View view = stream_.view();
  switch (packet_.header().opcode) {
    case SOFTGPU_CMD_WAIT:
      return execute_wait(at);
    case SOFTGPU_CMD_FENCE:
      return execute_fence();
    case SOFTGPU_CMD_INDIRECT: {
      in_flight_ = false;
      in_submission_ = true;
      ++counters_.packets;
      bool privileged = view.privileged && !packet_.has(SOFTGPU_FLAG_UNPRIVILEGED);
      stream_.call(packet_.as<SOFTGPU_INDIRECT>(), {packet_.header().argument, privileged});
      return {};
    }
    case SOFTGPU_CMD_END:
      in_flight_ = false;
      ++counters_.packets;
      stream_.end();
      return {};
    default:
      if (Outcome fault = execute_on_memory(at)) return fault;
      finish_packet();
      if (packet_.header().opcode == SOFTGPU_CMD_SIGNAL && packet_.has(SOFTGPU_FLAG_INTERRUPT))
        notify(SOFTGPU_INT_SIGNAL(index_));
      return {};
  }
}

// Packets of buffers can be made to fault; those of the ring are the driver's own.
Outcome Engine::execute_on_memory(uint64_t at) {
  parts_.memory.fault_after(stream_.depth() != 0 ? &hooks_.fault : nullptr);
  Outcome fault = parts_.processor.run(packet_, stream_.view(), at, context_);
  parts_.memory.fault_after(nullptr);
  if (fault && fault->kind == SOFTGPU_FAULT_COMMAND) fault->address = stream_.address();  // as judge() would
  return fault;
}

Outcome Engine::execute_fence() {
  uint64_t value = packet_.as<SOFTGPU_FENCE>().value;
  if (fence_address_ != 0) {
    View view{stream_.ring().vmid, true};
    if (Outcome fault = parts_.memory.store(view, fence_address_, value)) return fault;
  }
  bool of_the_ring = stream_.depth() == 0;
  finish_packet();
  if (of_the_ring) in_submission_ = false;
  fence_current_ = value;
  counters_.log_fence(value);
  if (packet_.has(SOFTGPU_FLAG_INTERRUPT)) notify(SOFTGPU_INT_FENCE(index_));
  return {};
}

Outcome Engine::execute_wait(uint64_t at) {
  bool yes = false;
  if (Outcome fault = parts_.processor.satisfied(packet_, stream_.view(), &yes)) return fault;
  if (yes) {
    finish_packet();
    return {};
  }
  state_ = SOFTGPU_STATE_WAITING;
  ++counters_.polls;
  due_ = at + poll_ns_;
  poll_ns_ = std::min(poll_ns_ * 2, kLastPollNs);
  return {};
}

void Engine::finish_packet() {
  in_flight_ = false;
  in_submission_ = true;
  ++counters_.packets;
  stream_.finish(packet_);
}

// Between two packets.
bool Engine::may_preempt() const {
  return preempt_ == Preempt::AtPacket || (preempt_ == Preempt::AtFence && (stream_.empty() || !in_submission_));
}

bool Engine::preempt_if_asked() {
  if (!may_preempt()) return false;
  preempt_ = Preempt::No;
  in_flight_ = false;
  state_ = SOFTGPU_STATE_PREEMPTED;
  preempt_fence_ = fence_current_;
  notify(SOFTGPU_INT_PREEMPTED(index_));
  return true;
}

bool Engine::hang_if_asked() {
  if (hooks_.hang == 0 || --hooks_.hang != 0) return false;
  state_ = SOFTGPU_STATE_HUNG;
  log("hangs");
  return true;
}

void Engine::stop_at(const Fault& fault) {
  state_ = SOFTGPU_STATE_FAULTED;
  due_ = kNever;
  fault_status_ = fault.status();
  fault_vmid_ = stream_.view().vmid;
  fault_address_ = fault.address;
  fault_packet_ = fault.kind == SOFTGPU_FAULT_RING || packet_.empty() ? 0 : packet_.first_qword();
  in_flight_ = false;
  ++counters_.faults;
  char text[80];
  std::snprintf(text, sizeof(text), "fault 0x%" PRIX32 " at 0x%" PRIX64, fault_status_, fault_address_);
  log(text);
  notify(SOFTGPU_INT_FAULT(index_));
}

uint64_t Engine::cost_ns() const {
  uint64_t cost = hooks_.speed == SOFTGPU_SPEED_AT_ONCE ? 0 : packet_.cost_ns();
  return cost * std::max<uint64_t>(hooks_.slowdown, 1) + hooks_.delay_ns;
}

void Engine::notify(uint32_t cause) {
  if (hooks_.drop_interrupts != 0) {
    --hooks_.drop_interrupts;
  } else {
    parts_.interrupts.add(cause);
  }
}

void Engine::log(const char* what) const {
  char text[120];
  std::snprintf(text, sizeof(text), "%s engine: %s", index_ == SOFTGPU_ENGINE_RENDER ? "render" : "copy", what);
  parts_.host.log(text);
}

}  // namespace softgpu

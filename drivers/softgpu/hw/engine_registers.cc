// What an engine's registers read as, and what writing them does.
#include "softgpu/hw/engine.h"

namespace softgpu {
namespace {

uint32_t narrow(uint64_t value) { return static_cast<uint32_t>(value); }

}  // namespace

uint64_t Engine::read(uint32_t offset) const {
  const Ring& ring = stream_.ring();
  bool preempted_in_buffer = state_ == SOFTGPU_STATE_PREEMPTED && stream_.depth() != 0;
  switch (offset) {
    case SOFTGPU_ENGINE_RING_BASE:
      return ring.base;
    case SOFTGPU_ENGINE_RING_SIZE:
      return ring.size;
    case SOFTGPU_ENGINE_RING_VMID:
      return ring.vmid;
    case SOFTGPU_ENGINE_RING_HEAD:
      return ring.head;
    case SOFTGPU_ENGINE_RING_TAIL:
      return ring.tail;
    case SOFTGPU_ENGINE_FENCE_ADDRESS:
      return fence_address_;
    case SOFTGPU_ENGINE_FENCE_CURRENT:
      return fence_current_;
    case SOFTGPU_ENGINE_STATE:
      return state_;
    case SOFTGPU_ENGINE_FAULT_STATUS:
      return fault_status_;
    case SOFTGPU_ENGINE_FAULT_VMID:
      return fault_vmid_;
    case SOFTGPU_ENGINE_FAULT_ADDRESS:
      return fault_address_;
    case SOFTGPU_ENGINE_FAULT_PACKET:
      return fault_packet_;
    case SOFTGPU_ENGINE_PREEMPT_FENCE:
      return preempt_fence_;
    case SOFTGPU_ENGINE_PREEMPT_BUFFER:
      return preempted_in_buffer ? stream_.address() : 0;
    case SOFTGPU_ENGINE_PREEMPT_BYTES:
      return preempted_in_buffer ? stream_.bytes_left() : 0;
    case SOFTGPU_ENGINE_PACKETS:
      return counters_.packets;
    case SOFTGPU_ENGINE_FENCES:
      return counters_.fences;
    case SOFTGPU_ENGINE_FAULTS:
      return counters_.faults;
    case SOFTGPU_ENGINE_POLLS:
      return counters_.polls;
    case SOFTGPU_ENGINE_CONTEXT:
      return context_.context();
    default:
      break;
  }
  if (offset < SOFTGPU_ENGINE_FENCE_LOG(0)) return 0;
  constexpr uint32_t kSlotBytes = SOFTGPU_ENGINE_FENCE_LOG(1) - SOFTGPU_ENGINE_FENCE_LOG(0);
  uint32_t in_log = offset - SOFTGPU_ENGINE_FENCE_LOG(0);
  const Counters::LoggedFence& fence = counters_.logged(in_log / kSlotBytes);
  return in_log % kSlotBytes == SOFTGPU_FENCE_LOG_VALUE ? fence.value : fence.packets;
}

void Engine::write(uint32_t offset, uint64_t value) {
  switch (offset) {
    case SOFTGPU_ENGINE_CONTROL:
      return control(narrow(value));
    case SOFTGPU_ENGINE_RING_TAIL:
      return ring_doorbell(narrow(value));
    case SOFTGPU_ENGINE_CONTEXT:
      return context_.forget(value);
    default:
      if (state_ == SOFTGPU_STATE_DISABLED) write_ring(offset, value);
  }
}

void Engine::write_ring(uint32_t offset, uint64_t value) {
  Ring& ring = stream_.ring();
  switch (offset) {
    case SOFTGPU_ENGINE_RING_BASE:
      ring.base = value;
      break;
    case SOFTGPU_ENGINE_RING_SIZE:
      ring.size = narrow(value);
      break;
    case SOFTGPU_ENGINE_RING_VMID:
      ring.vmid = narrow(value);
      break;
    case SOFTGPU_ENGINE_RING_HEAD:
      ring.head = narrow(value);
      break;
    case SOFTGPU_ENGINE_FENCE_ADDRESS:
      fence_address_ = value;
      return;
    default:
      return;
  }
  // Whatever it was in the middle of belonged to the ring before.
  stream_.forget_buffers();
  in_submission_ = false;
}

}  // namespace softgpu

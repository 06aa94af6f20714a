#include "engine.h"

namespace softgpu {
namespace {

constexpr ULONG kSubmissionPackets = 4;
constexpr ULONG kSubmissionBytes =
    sizeof(SOFTGPU_SET_ROOT) + sizeof(SOFTGPU_TLB_FLUSH) + sizeof(SOFTGPU_INDIRECT) + sizeof(SOFTGPU_FENCE);
constexpr ULONG kRingMinBytes = 0x4000;

}  // namespace

#pragma code_seg(push, "PAGE")
NTSTATUS Engine::initialize(Registers& registers, ULONG index, ULONG submissions) {
  PAGED_CODE();
  registers_ = &registers;
  index_ = index;
  last_submitted_ = 0;
  KeInitializeSpinLock(&lock_);

  // One more: head and tail of a full ring would look like those of an empty one.
  ULONG64 bytes = kRingMinBytes;
  while (bytes < (submissions + 1ull) * kSubmissionBytes) bytes *= 2;
  if (bytes > SOFTGPU_RING_MAX_BYTES) return STATUS_INSUFFICIENT_RESOURCES;
  PHYSICAL_ADDRESS highest;
  highest.QuadPart = SOFTGPU_ADDRESS_OFFSET_MASK;
  ring_ = static_cast<UCHAR*>(MmAllocateContiguousMemory(static_cast<SIZE_T>(bytes), highest));
  if (ring_ == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  ring_bytes_ = static_cast<ULONG>(bytes);
  ring_physical_ = MmGetPhysicalAddress(ring_);
  return STATUS_SUCCESS;
}

void Engine::destroy() {
  PAGED_CODE();
  if (ring_ != nullptr) MmFreeContiguousMemory(ring_);
  ring_ = nullptr;
}
#pragma code_seg(pop)

void Engine::start() {
  generation_ = static_cast<ULONG>(registers_->read64(at(SOFTGPU_ENGINE_FENCE_CURRENT)) >> 32) + 1;
  base_fence_ = last_submitted_;
  notified_ = last_submitted_;
  tail_ = 0;
  registers_->write64(at(SOFTGPU_ENGINE_RING_BASE),
                      softgpu_address(SOFTGPU_SPACE_SYSTEM, static_cast<UINT64>(ring_physical_.QuadPart)));
  registers_->write(at(SOFTGPU_ENGINE_RING_SIZE), ring_bytes_);
  registers_->write(at(SOFTGPU_ENGINE_RING_VMID), 0);
  registers_->write(at(SOFTGPU_ENGINE_RING_HEAD), 0);
  registers_->write(at(SOFTGPU_ENGINE_RING_TAIL), 0);
  registers_->write64(at(SOFTGPU_ENGINE_FENCE_ADDRESS), 0);
  registers_->write(at(SOFTGPU_ENGINE_CONTROL), SOFTGPU_CONTROL_ENABLE);
}

void Engine::stop() { registers_->write(at(SOFTGPU_ENGINE_CONTROL), SOFTGPU_CONTROL_DISABLE); }

bool Engine::reset() {
  registers_->write(at(SOFTGPU_ENGINE_CONTROL), SOFTGPU_CONTROL_RESET);
  return state() == SOFTGPU_STATE_DISABLED;
}

// A submission brings its root along: there is nothing to remember about the VMID, and nothing to lose by a preemption.
void Engine::submit(const Submission& submission) {
  KIRQL irql;
  KeAcquireSpinLock(&lock_, &irql);
  last_submitted_ = submission.fence;
  if (!registers_->present()) {
    KeReleaseSpinLock(&lock_, irql);
    return;
  }
  NT_ASSERT(room() >= kSubmissionBytes);  // the ring holds RequiredDmaQueueEntry of them
  if (submission.root != 0) {
    SOFTGPU_SET_ROOT root = {softgpu_header(SOFTGPU_CMD_SET_ROOT, 0, sizeof(root), vmid()), submission.root,
                             submission.root_entries};
    SOFTGPU_TLB_FLUSH flush = {softgpu_header(SOFTGPU_CMD_TLB_FLUSH, 0, sizeof(flush), vmid()), 0, 0};
    emit(&root, sizeof(root));
    emit(&flush, sizeof(flush));
  }
  if (submission.bytes != 0) {
    ULONG space = submission.root != 0 ? vmid() : 0;
    SOFTGPU_INDIRECT call = {softgpu_header(SOFTGPU_CMD_INDIRECT, submission.flags, sizeof(call), space),
                             submission.address, submission.bytes};
    emit(&call, sizeof(call));
  }
  SOFTGPU_FENCE fence = {softgpu_header(SOFTGPU_CMD_FENCE, SOFTGPU_FLAG_INTERRUPT, sizeof(fence), 0),
                         static_cast<UINT64>(generation_) << 32 | submission.fence};
  emit(&fence, sizeof(fence));
  registers_->write(at(SOFTGPU_ENGINE_RING_TAIL), tail_);
  KeReleaseSpinLock(&lock_, irql);
}

UINT Engine::last_submitted() {
  KIRQL irql;
  KeAcquireSpinLock(&lock_, &irql);
  UINT fence = last_submitted_;
  KeReleaseSpinLock(&lock_, irql);
  return fence;
}

bool Engine::take_completed(UINT& fence) {
  fence = completed_fence();
  if (fence == notified_) return false;
  notified_ = fence;
  return true;
}

void Engine::preempt(UINT preemption_fence) {
  preemption_fence_ = preemption_fence;
  registers_->write(at(SOFTGPU_ENGINE_CONTROL), SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
}

void Engine::take_preempted(UINT& preemption_fence, UINT& last_completed) {
  preemption_fence = preemption_fence_;
  last_completed = fence_of(read64(SOFTGPU_ENGINE_PREEMPT_FENCE));
  registers_->write(at(SOFTGPU_ENGINE_CONTROL), SOFTGPU_CONTROL_DISCARD);
}

UINT Engine::fence_at_head() const {
  ULONG head = read(SOFTGPU_ENGINE_RING_HEAD);
  for (ULONG packet = 0; packet < kSubmissionPackets; ++packet) {
    UINT64 first = ring_qword(head);
    SOFTGPU_HEADER header;
    RtlCopyMemory(&header, &first, sizeof(header));
    if (header.opcode == SOFTGPU_CMD_FENCE) return static_cast<UINT>(ring_qword(head + sizeof(header)));
    head += header.qwords * 8u;
  }
  return notified_;
}

UINT Engine::fence_of(ULONG64 value) const {
  return static_cast<ULONG>(value >> 32) == generation_ ? static_cast<UINT>(value) : base_fence_;
}

ULONG Engine::room() const {
  ULONG used = (tail_ - read(SOFTGPU_ENGINE_RING_HEAD)) & (ring_bytes_ - 1);
  return ring_bytes_ - 8 - used;
}

void Engine::emit(const void* packet, ULONG bytes) {
  const UCHAR* from = static_cast<const UCHAR*>(packet);
  for (ULONG done = 0; done < bytes; done += 8) {
    RtlCopyMemory(ring_ + tail_, from + done, 8);
    tail_ = (tail_ + 8) & (ring_bytes_ - 1);
  }
}

UINT64 Engine::ring_qword(ULONG offset) const {
  UINT64 value;
  RtlCopyMemory(&value, ring_ + (offset & (ring_bytes_ - 1)), sizeof(value));
  return value;
}

}  // namespace softgpu

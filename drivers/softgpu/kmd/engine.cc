#include "engine.h"

namespace softgpu {
namespace {

constexpr ULONG kSubmissionPackets = 6;
constexpr ULONG kSubmissionBytes = sizeof(SOFTGPU_SET_ROOT) + sizeof(SOFTGPU_TLB_FLUSH) + sizeof(SOFTGPU_SAVE_STATE) +
                                   sizeof(SOFTGPU_RESTORE_STATE) + sizeof(SOFTGPU_INDIRECT) + sizeof(SOFTGPU_FENCE);
constexpr ULONG kRingMinBytes = 0x4000;

// A fence as the hardware has it: generation, whether it was refused, SubmissionFenceId.
constexpr ULONG kGenerationMask = 0x7FFFFFFF;
constexpr ULONG64 kRefused = 0x8000000000000000;

ULONG generation_of(ULONG64 value) { return static_cast<ULONG>(value >> 32) & kGenerationMask; }

// When a context's registers go back to memory. With physical addresses as late as possible: its image stays where it
// is until another context's command, or an explicit switch to no context, has taken the engine over. With virtual ones
// at the end of each submission, because the root that leads to the image may be replaced as soon as the context is
// idle.
constexpr bool kSavesLazily = !kGpuMmu;

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

void Engine::settle(UINT completed) {
  generation_ = (generation_of(read64(SOFTGPU_ENGINE_FENCE_CURRENT)) + 1) & kGenerationMask;
  notified_ = completed;
  preempting_ = false;
}

// A submission brings its root and its registers along: there is nothing to remember about the engine, and nothing to
// lose by a preemption. One that was dropped comes again like any other.
void Engine::submit(const Submission& submission) {
  KIRQL irql;
  KeAcquireSpinLock(&lock_, &irql);
  last_submitted_ = submission.fence;
  if (!registers_->present()) {
    KeReleaseSpinLock(&lock_, irql);
    return;
  }
  NT_ASSERT(room() >= kSubmissionBytes);  // the ring holds RequiredDmaQueueEntry of them
  if (kSavesLazily) emit_save(submission.context);
  if (submission.bytes != 0) {
    ULONG space = submission.root != 0 ? vmid() : 0;
    if (submission.root != 0) emit_root(submission);
    if (submission.context != 0) emit_state(submission);
    emit(SOFTGPU_INDIRECT{softgpu_header(SOFTGPU_CMD_INDIRECT, submission.flags, sizeof(SOFTGPU_INDIRECT), space),
                          submission.address, submission.bytes});
    if (!kSavesLazily && submission.image != 0) emit_save(0);
  }
  UCHAR flags = submission.refused ? 0 : SOFTGPU_FLAG_INTERRUPT;
  emit(SOFTGPU_FENCE{softgpu_header(SOFTGPU_CMD_FENCE, flags, sizeof(SOFTGPU_FENCE), 0), fence_value(submission)});
  registers_->write(at(SOFTGPU_ENGINE_RING_TAIL), tail_);
  KeReleaseSpinLock(&lock_, irql);
}

void Engine::emit_root(const Submission& submission) {
  emit(SOFTGPU_SET_ROOT{softgpu_header(SOFTGPU_CMD_SET_ROOT, 0, sizeof(SOFTGPU_SET_ROOT), vmid()), submission.root,
                        submission.root_entries});
  emit(SOFTGPU_TLB_FLUSH{softgpu_header(SOFTGPU_CMD_TLB_FLUSH, 0, sizeof(SOFTGPU_TLB_FLUSH), vmid()), 0, 0});
}

// Without an image a context has only zeros, not what another one left.
void Engine::emit_state(const Submission& submission) {
  bool kept = submission.image != 0;
  ULONG space = kept && submission.root != 0 ? vmid() : 0;
  emit(SOFTGPU_RESTORE_STATE{
      softgpu_header(SOFTGPU_CMD_RESTORE_STATE, kept ? 0 : SOFTGPU_FLAG_CLEAR, sizeof(SOFTGPU_RESTORE_STATE), space),
      kept ? submission.context : 0, submission.image});
}

void Engine::emit_save(UINT64 unless) {
  emit(SOFTGPU_SAVE_STATE{softgpu_header(SOFTGPU_CMD_SAVE_STATE, 0, sizeof(SOFTGPU_SAVE_STATE), 0), unless});
}

UINT Engine::last_submitted() {
  KIRQL irql;
  KeAcquireSpinLock(&lock_, &irql);
  UINT fence = last_submitted_;
  KeReleaseSpinLock(&lock_, irql);
  return fence;
}

bool Engine::take_completed(UINT& fence) {
  if (!last_told_fence(fence) || fence == notified_) return false;
  notified_ = fence;
  return true;
}

// Between two submissions only: then there is nothing in the middle that would have to be kept.
bool Engine::preempt(UINT preemption_fence) {
  preempting_ = true;
  preemption_fence_ = preemption_fence;
  if (state() == SOFTGPU_STATE_IDLE) return true;
  registers_->write(at(SOFTGPU_ENGINE_CONTROL), SOFTGPU_CONTROL_PREEMPT_AT_FENCE);
  return false;
}

bool Engine::take_preempted(UINT& preemption_fence, UINT& last_completed) {
  ULONG stopped = state();
  if (!preempting_ || (stopped != SOFTGPU_STATE_PREEMPTED && stopped != SOFTGPU_STATE_IDLE)) return false;
  preempting_ = false;
  preemption_fence = preemption_fence_;
  last_completed = last_accepted();
  registers_->write(at(SOFTGPU_ENGINE_CONTROL), SOFTGPU_CONTROL_DISCARD);
  return true;
}

UINT Engine::fence_at_head() const {
  ULONG head = read(SOFTGPU_ENGINE_RING_HEAD);
  if (head >= ring_bytes_ || head == read(SOFTGPU_ENGINE_RING_TAIL)) return last_accepted();
  for (ULONG packet = 0; packet < kSubmissionPackets; ++packet) {
    UINT64 first = ring_qword(head);
    SOFTGPU_HEADER header;
    RtlCopyMemory(&header, &first, sizeof(header));
    if (header.opcode == SOFTGPU_CMD_FENCE) {
      UINT64 value = ring_qword(head + sizeof(header));
      return (value & kRefused) != 0 ? last_accepted() : static_cast<UINT>(value);
    }
    head += header.qwords * 8u;
  }
  return last_accepted();
}

ULONG64 Engine::fence_value(const Submission& submission) const {
  return (submission.refused ? kRefused : 0) | static_cast<ULONG64>(generation_) << 32 | submission.fence;
}

bool Engine::of_this_generation(ULONG64 value) const { return generation_of(value) == generation_; }

UINT Engine::completed_fence() const {
  ULONG64 value = read64(SOFTGPU_ENGINE_FENCE_CURRENT);
  return of_this_generation(value) ? static_cast<UINT>(value) : notified_;
}

UINT Engine::last_accepted() const {
  UINT fence;
  return last_told_fence(fence) ? fence : notified_;
}

// Of those that completed, the last one that was not refused: the hardware remembers more than one. The graphics kernel
// completes the refused ones by itself, and would take word of them for a mistake.
bool Engine::last_told_fence(UINT& fence) const {
  ULONG completed = read(SOFTGPU_ENGINE_FENCES);
  for (ULONG i = 1; i <= lesser<ULONG>(completed, SOFTGPU_FENCE_LOG_SLOTS); ++i) {
    ULONG slot = SOFTGPU_ENGINE_FENCE_LOG((completed - i) % SOFTGPU_FENCE_LOG_SLOTS);
    ULONG64 value = read64(slot + SOFTGPU_FENCE_LOG_VALUE);
    if (!of_this_generation(value)) return false;
    if ((value & kRefused) != 0) continue;
    fence = static_cast<UINT>(value);
    return true;
  }
  return false;
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

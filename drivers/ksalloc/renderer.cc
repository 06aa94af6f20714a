// The null renderer's stream.
#include "renderer.h"

namespace ksalloc {

void Renderer::initialize(PKSPIN pin) {
  pin_ = pin;
  KeInitializeSpinLock(&lock_);
}

void Renderer::start_over() {
  Locked locked(lock_);
  counts_ = {};
  next_number_ = 0;
}

KSALLOC_COUNTS Renderer::counts() {
  Locked locked(lock_);
  return counts_;
}

NTSTATUS Renderer::process() {
  PKSSTREAM_POINTER frame = KsPinGetLeadingEdgeStreamPointer(pin_, KSSTREAM_POINTER_STATE_LOCKED);
  if (frame == nullptr) return STATUS_PENDING;
  do {
    take(*frame);
  } while (NT_SUCCESS(KsStreamPointerAdvance(frame)));  // fails, and has unlocked, when that was the last one
  return STATUS_SUCCESS;
}

// The frame is read without the lock: it is a spin lock, and this is the long part.
void Renderer::take(const KSSTREAM_POINTER& frame) {
  uint64_t number = 0;
  const ULONG bytes = frame.OffsetIn.Remaining;
  const bool whole = ksalloc_read(frame.OffsetIn.Data, bytes, &number) != 0;
  Locked locked(lock_);
  ++counts_.Received;
  counts_.Bytes += bytes;
  if (whole) {
    follow(number);
  } else if (bytes != 0) {  // the end of a stream comes as an empty frame
    ++counts_.Damaged;
  }
}

// A source that starts over is in disorder once, and believed from there on.
void Renderer::follow(ULONG64 number) {
  if (number < next_number_) {
    ++counts_.Disorder;
  } else {
    counts_.Lost += number - next_number_;
  }
  next_number_ = number + 1;
}

}  // namespace ksalloc

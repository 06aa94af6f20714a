// The source's stream. Only the DPC runs above PASSIVE_LEVEL.
#include "source.h"

namespace ksalloc {

constexpr LONG kIntervalMs = KSALLOC_INTERVAL / 10000;

void Source::frame_is_due(PKDPC, PVOID DeferredContext, PVOID, PVOID) {
  Source& source = *static_cast<Source*>(DeferredContext);
  InterlockedExchange(&source.due_, 1);
  KsPinAttemptProcessing(source.pin_, TRUE);
}

// One frame at a time. Without a frame to fill it stays due, and AVStream calls again when one arrives; without one due
// the frames stay, and the timer has AVStream call again.
NTSTATUS Source::process() {
  if (ReadNoFence(&due_) == 0) return STATUS_PENDING;
  PKSSTREAM_POINTER frame = KsPinGetLeadingEdgeStreamPointer(pin_, KSSTREAM_POINTER_STATE_LOCKED);
  if (frame == nullptr) return STATUS_PENDING;
  NTSTATUS status = fill(*frame);
  if (NT_SUCCESS(status)) {
    InterlockedExchange(&due_, 0);
    KsStreamPointerAdvanceOffsetsAndUnlock(frame, 0, frame_bytes_, TRUE);  // which sets DataUsed
  } else {
    KsStreamPointerSetStatusCode(frame, status);
    KsStreamPointerUnlock(frame, TRUE);
  }
  return STATUS_SUCCESS;
}

NTSTATUS Source::fill(KSSTREAM_POINTER& frame) {
  if (frame.OffsetOut.Remaining < frame_bytes_) return STATUS_BUFFER_TOO_SMALL;
  ksalloc_write(frame.OffsetOut.Data, frame_bytes_, number_);
  ++number_;
  describe(*frame.StreamHeader);
  return STATUS_SUCCESS;
}

void Source::describe(KSSTREAM_HEADER& header) {
  header.Duration = KSALLOC_INTERVAL;
  header.OptionsFlags = KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT | KSSTREAM_HEADER_OPTIONSF_DURATIONVALID;
  if (discontinuity_) header.OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY;
  discontinuity_ = false;
  stamp(header);
}

// Presentation times never run backwards, whatever the clock does.
void Source::stamp(KSSTREAM_HEADER& header) {
  header.PresentationTime = {0, 1, 1};
  if (clock_ == nullptr) return;
  LONGLONG system_time;
  const LONGLONG now = clock_->GetCorrelatedTime(&system_time);
  if (now > last_time_) last_time_ = now;
  header.PresentationTime.Time = last_time_;
  header.OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
}

void Source::frames_are_flushed() { discontinuity_ = acquired_; }

#pragma code_seg("PAGE")

void Source::initialize(PKSPIN pin, ULONG frame_bytes) {
  PAGED_CODE();
  pin_ = pin;
  frame_bytes_ = frame_bytes;
  KeInitializeTimer(&timer_);
  KeInitializeDpc(&dpc_, frame_is_due, this);
}

// A graph need not have a clock; then the frames have no times.
void Source::acquire() {
  PAGED_CODE();
  if (!NT_SUCCESS(KsPinGetReferenceClockInterface(pin_, &clock_))) clock_ = nullptr;
  acquired_ = true;
  number_ = 0;
  last_time_ = 0;
  discontinuity_ = false;
}

void Source::release() {
  PAGED_CODE();
  acquired_ = false;
  if (clock_ != nullptr) clock_->Release();
  clock_ = nullptr;
}

void Source::run() {
  PAGED_CODE();
  running_ = true;
  LARGE_INTEGER first;
  first.QuadPart = -KSALLOC_INTERVAL;  // from now
  KeSetTimerEx(&timer_, first, kIntervalMs, &dpc_);
}

// A DPC that the timer queued before may still be on its way.
void Source::pause() {
  PAGED_CODE();
  if (!running_) return;
  running_ = false;
  KeCancelTimer(&timer_);
  KeFlushQueuedDpcs();
  InterlockedExchange(&due_, 0);
}

}  // namespace ksalloc

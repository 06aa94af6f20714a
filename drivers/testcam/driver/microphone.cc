#include "microphone.h"

#include "testcam_tone.h"

namespace testcam {
namespace {

constexpr LONG kTickMs = 10;
constexpr ULONG kKeptMs = 500;  // of sound for which there is no frame; what is older is lost

// The pin is not processed as long as this is in scope.
class Unprocessed {
 public:
  explicit Unprocessed(PKSPIN pin) : pin_(pin) { KsPinAcquireProcessingMutex(pin_); }
  ~Unprocessed() { KsPinReleaseProcessingMutex(pin_); }
  Unprocessed(const Unprocessed&) = delete;
  Unprocessed& operator=(const Unprocessed&) = delete;

 private:
  PKSPIN pin_;
};

}  // namespace

void Microphone::initialize(PKSPIN pin, const SoundFormat& format) {
  pin_ = pin;
  format_ = format;
  KeInitializeTimerEx(&timer_, SynchronizationTimer);
  KeInitializeDpc(&dpc_, tick, this);
}

// --- States ---

void Microphone::acquire() {
  Unprocessed unprocessed(pin_);
  // A graph need not have a clock; then the frames have no times.
  if (!NT_SUCCESS(KsPinGetReferenceClockInterface(pin_, &clock_))) clock_ = nullptr;
  heard_before_ = next_sample_ = 0;
  last_time_ = 0;
  discontinuity_ = false;
  acquired_ = true;
}

void Microphone::run() {
  {
    Unprocessed unprocessed(pin_);
    started_ = KeQueryPerformanceCounter(&frequency_);
    running_ = true;
  }
  LARGE_INTEGER due;
  due.QuadPart = -kTickMs * kUnitsPerSecond / 1000;
  KeSetTimerEx(&timer_, due, kTickMs, &dpc_);
}

// What was heard and not delivered is forgotten: sound goes on where it was when RUN comes again.
void Microphone::pause() {
  if (!running_) return;
  KeCancelTimer(&timer_);
  KeFlushQueuedDpcs();
  Unprocessed unprocessed(pin_);
  running_ = false;
  heard_before_ = next_sample_;
}

void Microphone::release() {
  pause();
  Unprocessed unprocessed(pin_);
  if (clock_ != nullptr) clock_->Release();
  clock_ = nullptr;
  acquired_ = false;
}

// --- Samples ---

void Microphone::tick(PKDPC, PVOID DeferredContext, PVOID, PVOID) {
  KsPinAttemptProcessing(static_cast<Microphone*>(DeferredContext)->pin_, TRUE);
}

// Those that there have been, the ones that are written already included.
ULONG64 Microphone::samples_due() const {
  const LONGLONG passed = KeQueryPerformanceCounter(nullptr).QuadPart - started_.QuadPart;
  return heard_before_ + static_cast<ULONG64>(passed * format_.rate / frequency_.QuadPart);
}

void Microphone::skip_what_is_lost(ULONG64 due) {
  const ULONG64 kept = static_cast<ULONG64>(format_.rate) * kKeptMs / 1000;
  if (due - next_sample_ <= kept) return;
  next_sample_ = due - kept;
  discontinuity_ = true;
}

void Microphone::process() {
  if (!running_) return;
  const ULONG64 due = samples_due();
  skip_what_is_lost(due);
  PKSSTREAM_POINTER edge = KsPinGetLeadingEdgeStreamPointer(pin_, KSSTREAM_POINTER_STATE_LOCKED);
  while (edge != nullptr && fill(*edge, due) == Edge::Next) continue;
}

// Puts what is due into the frame that the edge is on. Next: the frame is full, and the edge is on another one, locked.
Microphone::Edge Microphone::fill(KSSTREAM_POINTER& edge, ULONG64 due) {
  const ULONG sample_bytes = format_.frame_bytes();
  const KSSTREAM_POINTER_OFFSET& space = edge.OffsetOut;
  const ULONG room = space.Remaining / sample_bytes;
  const ULONG count = static_cast<ULONG>(due - next_sample_ < room ? due - next_sample_ : room);
  const ULONG bytes = count * sample_bytes;
  if (count != 0 && space.Remaining == space.Count) begin_frame(*edge.StreamHeader, due);
  if (space.Count < sample_bytes) KsStreamPointerSetStatusCode(&edge, STATUS_BUFFER_TOO_SMALL);
  write_samples(space.Data, count);
  edge.StreamHeader->DataUsed += bytes;
  if (count < room) {
    KsStreamPointerAdvanceOffsetsAndUnlock(&edge, 0, bytes, FALSE);
    return Edge::NoMore;
  }
  // What is left of it is smaller than a sample.
  const BOOLEAN eject = space.Remaining != bytes;
  return NT_SUCCESS(KsStreamPointerAdvanceOffsets(&edge, 0, bytes, eject)) ? Edge::Next : Edge::NoMore;
}

// The time of the frame's first sample: the stream's time now, less what has been heard since.
void Microphone::begin_frame(KSSTREAM_HEADER& header, ULONG64 due) {
  header.OptionsFlags = KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT;
  if (discontinuity_) header.OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY;
  discontinuity_ = false;
  header.PresentationTime = {0, 1, 1};
  if (clock_ == nullptr) return;
  LONGLONG system_time;
  const LONGLONG age = static_cast<LONGLONG>(due - next_sample_) * kUnitsPerSecond / format_.rate;
  last_time_ = greater(last_time_, clock_->GetCorrelatedTime(&system_time) - age);
  header.PresentationTime.Time = last_time_;
  header.OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
}

void Microphone::write_samples(PUCHAR to, ULONG count) {
  SHORT* next = reinterpret_cast<SHORT*>(to);
  for (ULONG i = 0; i < count; ++i) {
    const SHORT sample = testcam_tone_sample(next_sample_++, format_.rate);
    for (ULONG channel = 0; channel < format_.channels; ++channel) *next++ = sample;
  }
}

}  // namespace testcam

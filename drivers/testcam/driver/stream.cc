// Frames taken from the queue, and pictures put into them. Everything here runs at DISPATCH_LEVEL or below.
#include "stream.h"

#include "events.h"

namespace testcam {

void Stream::initialize(PKSPIN pin, Camera& camera, const VideoFormat& format) {
  pin_ = pin;
  camera_ = &camera;
  channel_ = pin->Id;
  format_ = format;
  KeInitializeSpinLock(&lock_);
  InitializeListHead(&waiting_);
}

Stream::Counts Stream::counts() {
  Locked locked(lock_);
  return counts_;
}

void Stream::forget_pictures() {
  last_time_ = 0;
  discontinuity_ = false;
  Locked locked(lock_);
  counts_ = {};
}

// --- Frames ---

// The edge is advanced before the clone is shown to the DPC: a frame is complete when its clone has gone and the edge
// has passed it, and then it belongs to the client again.
NTSTATUS Stream::take_frames() {
  bool progress = false;
  PKSSTREAM_POINTER leading = KsPinGetLeadingEdgeStreamPointer(pin_, KSSTREAM_POINTER_STATE_LOCKED);
  while (leading != nullptr) {
    PKSSTREAM_POINTER clone;
    if (!NT_SUCCESS(KsStreamPointerClone(leading, nullptr, sizeof(Waiting), &clone))) {
      // The DPC attempts to process again when it has no frame for a picture.
      KsStreamPointerUnlock(leading, FALSE);
      break;
    }
    if (!NT_SUCCESS(KsStreamPointerAdvance(leading))) leading = nullptr;  // that was the last one
    KsStreamPointerUnlock(clone, FALSE);
    if (!wait_for_picture(clone)) KsStreamPointerDelete(clone);
    progress = true;
  }
  return progress ? STATUS_SUCCESS : STATUS_PENDING;
}

void Stream::set_taking(bool taking) {
  Locked locked(lock_);
  taking_ = taking;
}

// False: the stream is being taken down.
bool Stream::wait_for_picture(PKSSTREAM_POINTER clone) {
  Waiting* waiting = static_cast<Waiting*>(clone->Context);
  waiting->clone = clone;
  Locked locked(lock_);
  if (taking_) InsertTailList(&waiting_, &waiting->link);
  return taking_;
}

PKSSTREAM_POINTER Stream::next_clone() {
  Locked locked(lock_);
  if (IsListEmpty(&waiting_)) return nullptr;
  return CONTAINING_RECORD(RemoveHeadList(&waiting_), Waiting, link)->clone;
}

// A frame that no picture has come for goes back as one that was cancelled: a client would take success for a picture.
void Stream::give_up_frames() {
  while (PKSSTREAM_POINTER clone = next_clone()) {
    KsStreamPointerSetStatusCode(clone, STATUS_CANCELLED);
    KsStreamPointerDelete(clone);
  }
}

// A clone on a frame that was not cancelled, locked; null when there is none.
PKSSTREAM_POINTER Stream::lock_next_frame() {
  while (PKSSTREAM_POINTER clone = next_clone()) {
    if (NT_SUCCESS(KsStreamPointerLock(clone))) return clone;
    KsStreamPointerDelete(clone);
  }
  return nullptr;
}

// --- Pictures ---

void Stream::ring_restarts() {
  read_ = 0;
  next_number_ = 0;
}

// One processor at a time: one that comes meanwhile leaves its pictures to the first.
void Stream::pictures_came() {
  if (InterlockedIncrement(&calls_) != 1) return;
  LONG served;
  do {
    served = ReadNoFence(&calls_);
    take_pictures();
  } while (InterlockedExchangeAdd(&calls_, -served) != served);
}

void Stream::take_pictures() {
  const ULONG base = TESTCAM_REG_CHANNEL(channel_);
  const ULONG written = camera_->registers.read(base + TESTCAM_CHANNEL_WRITTEN);
  if (written - read_ > Ring::kSlots) return;  // all bits: the camera has been pulled out
  while (read_ != written) {
    take_picture(ring_.slot(read_));
    camera_->registers.write(base + TESTCAM_CHANNEL_READ, ++read_);
  }
}

void Stream::take_picture(const TESTCAM_SLOT& slot) {
  count_dropped(slot.number - next_number_);  // by the camera, for want of a slot
  next_number_ = slot.number + 1;
  PKSSTREAM_POINTER frame = lock_next_frame();
  if (frame == nullptr) {
    count_dropped(1);
    KsPinAttemptProcessing(pin_, TRUE);
    return;
  }
  NTSTATUS status = fill(*frame, slot);
  if (!NT_SUCCESS(status)) {
    KsStreamPointerSetStatusCode(frame, status);
    count_dropped(1);
  }
  KsStreamPointerDelete(frame);
}

NTSTATUS Stream::fill(KSSTREAM_POINTER& frame, const TESTCAM_SLOT& slot) {
  if (frame.OffsetOut.Remaining < format_.bytes) return STATUS_BUFFER_TOO_SMALL;
  RtlCopyMemory(frame.OffsetOut.Data, &slot + 1, format_.bytes);
  describe(*frame.StreamHeader, slot);
  return STATUS_SUCCESS;
}

void Stream::describe(KSSTREAM_HEADER& header, const TESTCAM_SLOT& slot) {
  const Counts counts = count_picture();
  header.DataUsed = format_.bytes;
  header.Duration = format_.interval;
  header.OptionsFlags = KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT | KSSTREAM_HEADER_OPTIONSF_DURATIONVALID;
  stamp(header, slot);
  if (discontinuity_) header.OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY;
  // Clients are asked for the longer header (Pin->StreamHeaderSize), and need not listen.
  if (header.Size >= sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO)) {
    KS_FRAME_INFO& info = *reinterpret_cast<KS_FRAME_INFO*>(&header + 1);
    info.ExtendedHeaderSize = sizeof(info);
    info.dwFrameFlags = KS_VIDEO_FLAG_FRAME;
    info.PictureNumber = counts.pictures;
    info.DropCount = counts.dropped;
  }
  if (discontinuity_) tell_discontinuity(pin_);
  discontinuity_ = false;
  tell_picture(pin_, counts.pictures);
}

// The stream's time now, less the picture's age by the camera's own clock. The two clocks may drift apart a little;
// presentation times never run backwards for it.
void Stream::stamp(KSSTREAM_HEADER& header, const TESTCAM_SLOT& slot) {
  header.PresentationTime = {0, 1, 1};
  if (clock_ == nullptr) return;
  LONGLONG system_time;
  const LONGLONG now = clock_->GetCorrelatedTime(&system_time);
  const LONGLONG age = static_cast<LONGLONG>(camera_->registers.read64(TESTCAM_REG_TIME) - slot.time_ns) / 100;
  last_time_ = greater(last_time_, now - age);
  header.PresentationTime.Time = last_time_;
  header.OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
}

Stream::Counts Stream::count_picture() {
  Locked locked(lock_);
  ++counts_.pictures;
  return counts_;
}

void Stream::count_dropped(ULONG64 pictures) {
  if (pictures == 0) return;
  discontinuity_ = true;
  Locked locked(lock_);
  counts_.pictures += pictures;
  counts_.dropped += pictures;
}

}  // namespace testcam

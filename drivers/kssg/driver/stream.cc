// Frames handed to the grabber, and those that came back with a picture. Everything here runs at DISPATCH_LEVEL or
// below.
#include "stream.h"

namespace kssg {
namespace {

// How many of the mappings a picture takes; 0 when it does not fit.
ULONG pieces_for(const KSSTREAM_POINTER_OFFSET& memory, ULONG bytes) {
  ULONG room = 0;
  for (ULONG i = 0; i < memory.Remaining; ++i) {
    room += memory.Mappings[i].ByteCount;
    if (room >= bytes) return i + 1;
  }
  return 0;
}

void move_all(LIST_ENTRY& from, LIST_ENTRY& to) {
  while (!IsListEmpty(&from)) InsertTailList(&to, RemoveHeadList(&from));
}

}  // namespace

void Stream::initialize(PKSPIN pin, Grabber& grabber, const VideoFormat& format) {
  pin_ = pin;
  grabber_ = &grabber;
  format_ = format;
  InitializeListHead(&in_flight_);
}

void Stream::set_taking(bool taking) {
  Locked locked(grabber_->lock);
  taking_ = taking;
}

// --- Frames ---

// Frames that find no room stay where they are, until the DPC attempts processing again.
NTSTATUS Stream::take_frames() {
  bool progress = false;
  while (has_room(1)) {
    PKSSTREAM_POINTER leading = KsPinGetLeadingEdgeStreamPointer(pin_, KSSTREAM_POINTER_STATE_LOCKED);
    if (leading == nullptr || !take_frame(leading)) break;
    progress = true;
  }
  return progress ? STATUS_SUCCESS : STATUS_PENDING;
}

// Only the DPC changes that meanwhile, for the better.
bool Stream::has_room(ULONG pieces) {
  Locked locked(grabber_->lock);
  return in_flight_count_ < kMostFrames && ring_.free_entries() >= pieces;
}

// The leading edge is unlocked in any case, and has gone on when this is true.
bool Stream::take_frame(PKSSTREAM_POINTER leading) {
  const ULONG pieces = pieces_for(leading->OffsetOut, format_.bytes);
  if (pieces == 0 || pieces > Ring::kEntries) {
    KsStreamPointerSetStatusCode(leading, pieces == 0 ? STATUS_BUFFER_TOO_SMALL : STATUS_INSUFFICIENT_RESOURCES);
    KsStreamPointerUnlock(leading, TRUE);
    return true;
  }
  PKSSTREAM_POINTER clone;
  if (!has_room(pieces) || !NT_SUCCESS(KsStreamPointerClone(leading, nullptr, sizeof(InFlight), &clone))) {
    KsStreamPointerUnlock(leading, FALSE);
    return false;
  }
  const bool taken = hand_over(clone, pieces);
  if (!taken) KsStreamPointerDelete(clone);
  KsStreamPointerUnlock(leading, taken);
  return taken;
}

// False: the stream is being taken down.
bool Stream::hand_over(PKSSTREAM_POINTER clone, ULONG pieces) {
  InFlight* flight = static_cast<InFlight*>(clone->Context);
  flight->clone = clone;
  Locked locked(grabber_->lock);
  if (!taking_) return false;
  put_list(clone->OffsetOut, pieces);
  flight->last = ring_.tail() - 1;
  InsertTailList(&in_flight_, &flight->link);
  ++in_flight_count_;
  tell_tail(*grabber_);
  return true;
}

void Stream::put_list(const KSSTREAM_POINTER_OFFSET& memory, ULONG pieces) {
  for (ULONG i = 0; i < pieces; ++i) {
    const KSMAPPING& mapping = memory.Mappings[i];
    ring_.put(mapping.PhysicalAddress, mapping.ByteCount, i + 1 == pieces ? KSSG_DESCRIPTOR_LAST : 0);
  }
}

// The grabber is stopped, and its DPC has run: what is done goes to the client, the rest waits.
void Stream::unlock_frames() {
  take_pictures();
  {
    Locked locked(grabber_->lock);
    ring_.clear();
  }
  for (LIST_ENTRY* at = in_flight_.Flink; at != &in_flight_; at = at->Flink) {
    KsStreamPointerUnlock(CONTAINING_RECORD(at, InFlight, link)->clone, FALSE);
  }
}

// Those that waited are the first that the grabber gets. One that cannot be locked has been cancelled.
void Stream::lock_frames() {
  LIST_ENTRY waited;
  InitializeListHead(&waited);
  {
    Locked locked(grabber_->lock);
    move_all(in_flight_, waited);
    in_flight_count_ = 0;
    taking_ = true;
  }
  while (!IsListEmpty(&waited)) {
    PKSSTREAM_POINTER clone = CONTAINING_RECORD(RemoveHeadList(&waited), InFlight, link)->clone;
    const bool locked = NT_SUCCESS(KsStreamPointerLock(clone));
    if (!locked || !hand_over(clone, pieces_for(clone->OffsetOut, format_.bytes))) KsStreamPointerDelete(clone);
  }
}

// The grabber begins anew on an empty ring, if it is this stream's. What it was writing is lost.
void Stream::give_up_frames(NTSTATUS status) {
  LIST_ENTRY given_up;
  InitializeListHead(&given_up);
  {
    Locked locked(grabber_->lock);
    const bool attached = grabber_->stream == this;
    if (attached) halt(*grabber_);
    move_all(in_flight_, given_up);
    in_flight_count_ = 0;
    ring_.clear();
    discontinuity_ = true;
    if (attached) tell(*grabber_);
  }
  while (!IsListEmpty(&given_up)) {
    PKSSTREAM_POINTER clone = CONTAINING_RECORD(RemoveHeadList(&given_up), InFlight, link)->clone;
    KsStreamPointerSetStatusCode(clone, status);
    KsStreamPointerDelete(clone);
  }
}

// --- Pictures ---

// One processor at a time: one that comes meanwhile leaves its pictures to the first. More frames may have room then.
void Stream::pictures_came() {
  if (InterlockedIncrement(&calls_) != 1) return;
  LONG served;
  do {
    served = ReadNoFence(&calls_);
    take_pictures();
  } while (InterlockedExchangeAdd(&calls_, -served) != served);
  KsPinAttemptProcessing(pin_, TRUE);
}

void Stream::take_pictures() {
  Picture picture;
  while (next_picture(picture)) finish(picture);
}

// The next one that the grabber is done with; false when there is none.
bool Stream::next_picture(Picture& picture) {
  Locked locked(grabber_->lock);
  if (IsListEmpty(&in_flight_)) return false;
  InFlight* flight = CONTAINING_RECORD(in_flight_.Flink, InFlight, link);
  const KSSG_DESCRIPTOR& descriptor = ring_.at(flight->last);
  const ULONG result = ReadULongAcquire(&descriptor.result);
  if (result == 0) return false;
  RemoveHeadList(&in_flight_);
  --in_flight_count_;
  ring_.retire(flight->last + 1);
  const ULONG missing = descriptor.number - next_number_;
  next_number_ = descriptor.number + 1;
  picture.clone = flight->clone;
  picture.time_ns = descriptor.time_ns;
  picture.whole = result == KSSG_RESULT_DONE;
  counts_.pictures += LONGLONG{missing} + 1;
  counts_.dropped += LONGLONG{missing} + (picture.whole ? 0 : 1);
  picture.counts = counts_;
  picture.discontinuity = discontinuity_ || missing != 0;
  discontinuity_ = !picture.whole;
  return true;
}

void Stream::finish(const Picture& picture) {
  if (picture.whole) {
    describe(*picture.clone->StreamHeader, picture);
  } else {
    KsStreamPointerSetStatusCode(picture.clone, STATUS_IO_DEVICE_ERROR);
  }
  KsStreamPointerDelete(picture.clone);
}

// On a pin with mappings DataUsed is the minidriver's to set.
void Stream::describe(KSSTREAM_HEADER& header, const Picture& picture) {
  header.DataUsed = format_.bytes;
  header.Duration = format_.interval;
  header.OptionsFlags = KSSTREAM_HEADER_OPTIONSF_SPLICEPOINT | KSSTREAM_HEADER_OPTIONSF_DURATIONVALID;
  stamp(header, picture.time_ns);
  if (picture.discontinuity) header.OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_DATADISCONTINUITY;
  // Clients are asked for the longer header (Pin->StreamHeaderSize), and need not listen.
  if (header.Size < sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO)) return;
  KS_FRAME_INFO& info = *reinterpret_cast<KS_FRAME_INFO*>(&header + 1);
  info.ExtendedHeaderSize = sizeof(info);
  info.dwFrameFlags = KS_VIDEO_FLAG_FRAME;
  info.PictureNumber = picture.counts.pictures;
  info.DropCount = picture.counts.dropped;
}

// The stream's time now, less the picture's age by the grabber's own clock. The two clocks may drift apart a little;
// presentation times never run backwards for it. A grabber that has been pulled out cannot tell the age.
void Stream::stamp(KSSTREAM_HEADER& header, ULONG64 time_ns) {
  header.PresentationTime = {0, 1, 1};
  if (clock_ == nullptr || !grabber_->registers.present()) return;
  LONGLONG system_time;
  const LONGLONG now = clock_->GetCorrelatedTime(&system_time);
  const LONGLONG age = static_cast<LONGLONG>(grabber_->registers.read64(KSSG_REG_TIME) - time_ns) / 100;
  if (now - age > last_time_) last_time_ = now - age;
  header.PresentationTime.Time = last_time_;
  header.OptionsFlags |= KSSTREAM_HEADER_OPTIONSF_TIMEVALID;
}

}  // namespace kssg

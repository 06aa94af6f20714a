// AVStream's calls to the capture pin, each handed on to the pin's stream.
#include "pin.h"

#include "stream.h"

namespace kssg {

inline constexpr ULONG kLongAlignment = sizeof(ULONG) - 1;  // a mask, as all alignments of frames

// One more than the grabber may have: while they are written, one is with the client.
DECLARE_SIMPLE_FRAMING_EX(kPinFraming, STATICGUIDOF(KSMEMORY_TYPE_KERNEL_NONPAGED),
                          KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY,
                          kMostFrames + 1, kLongAlignment, 0, kMaxPictureBytes);

namespace {

NTSTATUS process(PKSPIN Pin) { return stream_of(Pin).take_frames(); }

#pragma code_seg(push, "PAGE")

// The queue is being flushed, in the thread of the request for it: nothing of it may be left with the grabber, nor in a
// DPC that is about to complete a frame.
void reset(PKSPIN Pin) {
  PAGED_CODE();
  stream_of(Pin).give_up_frames(STATUS_CANCELLED);
  KeFlushQueuedDpcs();
}

// The descriptor and its framing become the pin's own before they are written. Neither needs to be freed: they are in
// the pin's bag.
NTSTATUS edit_framing(PKSPIN pin) {
  PAGED_CODE();
  NTSTATUS status = KsEdit(pin, &pin->Descriptor, kTag);
  if (NT_SUCCESS(status)) status = KsEdit(pin, &pin->Descriptor->AllocatorFraming, kTag);
  return status;
}

// Frames have the size of a picture, all of them.
void frame_pictures(PKSPIN pin, ULONG bytes) {
  PAGED_CODE();
  auto* framing = const_cast<PKSALLOCATOR_FRAMING_EX>(pin->Descriptor->AllocatorFraming);
  framing->FramingItem[0].PhysicalRange = {bytes, bytes, 0};
  framing->FramingItem[0].FramingRange.Range = {bytes, bytes, 0};
}

NTSTATUS create(PKSPIN Pin, PIRP) {
  PAGED_CODE();
  Stream* stream = allocate<Stream>();
  if (stream == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  NTSTATUS status = KsAddItemToObjectBag(Pin->Bag, stream, nullptr);
  if (!NT_SUCCESS(status)) {
    ExFreePoolWithTag(stream, kTag);
    return status;
  }
  status = edit_framing(Pin);
  if (!NT_SUCCESS(status)) return status;
  const VideoFormat format = read_format(*Pin->ConnectionFormat);
  stream->initialize(Pin, *static_cast<Grabber*>(KsPinGetDevice(Pin)->Context), format);
  frame_pictures(Pin, format.bytes);
  Pin->StreamHeaderSize = sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);
  Pin->Context = stream;
  return STATUS_SUCCESS;
}

// The pin may have been closed in any state.
NTSTATUS close(PKSPIN Pin, PIRP) {
  PAGED_CODE();
  Stream& stream = stream_of(Pin);
  stream.pause();
  stream.give_up_frames(STATUS_CANCELLED);
  stream.release();
  return STATUS_SUCCESS;
}

// Without an old format the pin is not created yet: its Context is not ours, and the format is only judged. A stream
// that is acquired has a grabber set up for its format, and keeps it.
NTSTATUS set_data_format(PKSPIN Pin, PKSDATAFORMAT OldFormat, PKSMULTIPLE_ITEM, const KSDATARANGE* DataRange,
                         const KSATTRIBUTE_LIST*) {
  PAGED_CODE();
  NTSTATUS status = judge_format(*Pin->ConnectionFormat, *DataRange);
  if (!NT_SUCCESS(status) || OldFormat == nullptr) return status;
  Stream& stream = stream_of(Pin);
  const VideoFormat format = read_format(*Pin->ConnectionFormat);
  if (stream.acquired()) return same(format, stream.format()) ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_STATE;
  stream.set_format(format);
  frame_pictures(Pin, format.bytes);
  return STATUS_SUCCESS;
}

NTSTATUS set_device_state(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  PAGED_CODE();
  Stream& stream = stream_of(Pin);
  switch (ToState) {
    case KSSTATE_STOP:
      stream.release();
      return STATUS_SUCCESS;
    case KSSTATE_ACQUIRE:
      if (FromState == KSSTATE_STOP) return stream.acquire();
      stream.give_up_frames(STATUS_CANCELLED);
      return STATUS_SUCCESS;
    case KSSTATE_PAUSE:
      if (FromState == KSSTATE_RUN) stream.pause();
      return STATUS_SUCCESS;
    case KSSTATE_RUN:
      stream.run();
      return STATUS_SUCCESS;
    default:
      return STATUS_INVALID_PARAMETER;
  }
}

#pragma code_seg(pop)

}  // namespace

const KSPIN_DISPATCH kPinDispatch = {
    create, close, process, reset, set_data_format, set_device_state, nullptr, nullptr, nullptr, nullptr,
};

}  // namespace kssg

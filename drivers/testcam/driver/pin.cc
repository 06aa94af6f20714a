// AVStream's calls to a video pin, each handed on to the pin's stream.
#include "pin.h"

#include "stream.h"

namespace testcam {

inline constexpr ULONG kFrames = 3;
inline constexpr ULONG kLongAlignment = sizeof(ULONG) - 1;  // a mask, as all alignments of frames

DECLARE_SIMPLE_FRAMING_EX(kVideoFraming, STATICGUIDOF(KSMEMORY_TYPE_KERNEL_NONPAGED),
                          KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY, kFrames,
                          kLongAlignment, 0, TESTCAM_MAX_FRAME_BYTES);

namespace {

NTSTATUS process(PKSPIN Pin) { return stream_of(Pin).take_frames(); }

// The queue is being flushed: what waits for pictures will not get any.
void reset(PKSPIN Pin) { stream_of(Pin).give_up_frames(); }

#pragma code_seg(push, "PAGE")

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
  KS_FRAMING_ITEM& item = framing->FramingItem[0];
  item.Frames = kFrames;
  item.PhysicalRange = {bytes, bytes, 0};
  item.FramingRange.Range = {bytes, bytes, 0};
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
  const VideoFormat format = read_agreed_format(*Pin->ConnectionFormat);
  stream->initialize(Pin, *static_cast<Camera*>(KsPinGetDevice(Pin)->Context), format);
  frame_pictures(Pin, format.bytes);
  Pin->StreamHeaderSize = sizeof(KSSTREAM_HEADER) + sizeof(KS_FRAME_INFO);
  Pin->Context = stream;
  return STATUS_SUCCESS;
}

// The pin may have been pulled out of any state.
NTSTATUS close(PKSPIN Pin, PIRP) {
  PAGED_CODE();
  Stream& stream = stream_of(Pin);
  stream.unprepare();
  stream.release();
  return STATUS_SUCCESS;
}

// Without an old format the pin is not created yet: its Context is not ours, and the format is only judged. A stream
// that is acquired has memory and a camera set up for its format, and keeps it.
NTSTATUS set_data_format(PKSPIN Pin, PKSDATAFORMAT OldFormat, PKSMULTIPLE_ITEM, const KSDATARANGE* DataRange,
                         const KSATTRIBUTE_LIST*) {
  PAGED_CODE();
  VideoFormat format;
  NTSTATUS status = read_format(*Pin->ConnectionFormat, *DataRange, format);
  if (!NT_SUCCESS(status) || OldFormat == nullptr) return status;
  Stream& stream = stream_of(Pin);
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
      stream.unprepare();
      return STATUS_SUCCESS;
    case KSSTATE_PAUSE:
      FromState == KSSTATE_RUN ? stream.pause() : stream.prepare();
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

const KSPIN_DISPATCH kVideoPinDispatch = {
    create, close, process, reset, set_data_format, set_device_state, nullptr, nullptr, nullptr, nullptr,
};

}  // namespace testcam

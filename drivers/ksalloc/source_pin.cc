// AVStream's calls to the source pin, and what it is told of the pin and its filter.
//
// KSPROPERTY_STREAM_ALLOCATOR, which says that a pin knows of allocators and assigns one to it, is answered by AVStream
// for every pin: a table of our own would hide its half that assigns.
#include "allocator.h"
#include "formats.h"
#include "source.h"

namespace ksalloc {
namespace {

constexpr ULONG kFrames = 4;
constexpr ULONG kLongAlignment = sizeof(ULONG) - 1;  // a mask, as all alignments of frames

// KSALLOCATOR_FLAG_CAN_ALLOCATE: the pin has an allocator, see allocator.cc.
DECLARE_SIMPLE_FRAMING_EX(kFraming, STATICGUIDOF(KSMEMORY_TYPE_KERNEL_NONPAGED),
                          KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY | KSALLOCATOR_FLAG_CAN_ALLOCATE, kFrames,
                          kLongAlignment, KSALLOC_COUNTER_BYTES, KSALLOC_PICTURE_BYTES);

Source& source_of(PKSPIN pin) { return *static_cast<Source*>(pin->Context); }

NTSTATUS process(PKSPIN Pin) { return source_of(Pin).process(); }

void reset(PKSPIN Pin) { source_of(Pin).frames_are_flushed(); }

#pragma code_seg(push, "PAGE")

// The descriptor and its framing become the pin's own before they are written. Neither needs to be freed: they are in
// the pin's bag.
NTSTATUS edit_framing(PKSPIN pin) {
  PAGED_CODE();
  NTSTATUS status = KsEdit(pin, &pin->Descriptor, kTag);
  if (NT_SUCCESS(status)) status = KsEdit(pin, &pin->Descriptor->AllocatorFraming, kTag);
  return status;
}

// Frames have the size of the connection's format, all of them.
void frame_exactly(PKSPIN pin, ULONG bytes) {
  PAGED_CODE();
  auto* framing = const_cast<PKSALLOCATOR_FRAMING_EX>(pin->Descriptor->AllocatorFraming);
  framing->FramingItem[0].PhysicalRange = {bytes, bytes, 0};
  framing->FramingItem[0].FramingRange.Range = {bytes, bytes, 0};
}

NTSTATUS create(PKSPIN Pin, PIRP) {
  PAGED_CODE();
  Source* source = make_context<Source>(Pin);
  if (source == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  NTSTATUS status = edit_framing(Pin);
  if (!NT_SUCCESS(status)) return status;
  source->initialize(Pin, frame_bytes(*Pin->ConnectionFormat));
  frame_exactly(Pin, source->frame_bytes());
  return STATUS_SUCCESS;
}

// The pin may have been closed in any state.
NTSTATUS close(PKSPIN Pin, PIRP) {
  PAGED_CODE();
  source_of(Pin).pause();
  source_of(Pin).release();
  return STATUS_SUCCESS;
}

// Without an old format the pin is not created yet: its Context is not ours, and the format is only judged. A stream
// that is acquired has frames of its format's size, and keeps it.
NTSTATUS set_data_format(PKSPIN Pin, PKSDATAFORMAT OldFormat, PKSMULTIPLE_ITEM, const KSDATARANGE* DataRange,
                         const KSATTRIBUTE_LIST*) {
  PAGED_CODE();
  NTSTATUS status = judge_format(*Pin->ConnectionFormat, *DataRange);
  if (!NT_SUCCESS(status) || OldFormat == nullptr) return status;
  Source& source = source_of(Pin);
  const ULONG bytes = frame_bytes(*Pin->ConnectionFormat);
  if (source.acquired()) return bytes == source.frame_bytes() ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_STATE;
  source.set_frame_bytes(bytes);
  frame_exactly(Pin, bytes);
  return STATUS_SUCCESS;
}

NTSTATUS set_device_state(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  PAGED_CODE();
  Source& source = source_of(Pin);
  if (ToState == KSSTATE_ACQUIRE && FromState == KSSTATE_STOP) source.acquire();
  if (ToState == KSSTATE_RUN) source.run();
  if (FromState == KSSTATE_RUN) source.pause();
  if (ToState == KSSTATE_STOP) source.release();
  return STATUS_SUCCESS;
}

#pragma code_seg(pop)

const KSPIN_DISPATCH kDispatch = {
    create, close, process, reset, set_data_format, set_device_state, nullptr, nullptr, nullptr, &kAllocatorDispatch,
};

// No interfaces and no mediums are the standard ones.
const KSPIN_DESCRIPTOR_EX kPins[] = {{
    &kDispatch,
    nullptr,
    {0,
     nullptr,
     0,
     nullptr,
     kFormats,
     kRanges,
     KSPIN_DATAFLOW_OUT,
     KSPIN_COMMUNICATION_BOTH,
     &KSCATEGORY_CAPTURE,
     &KSCATEGORY_CAPTURE,
     {0}},
    KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY,
    1,  // instances possible
    0,
    &kFraming,
    intersect,
}};

constexpr GUID kReference = {0x4b0e9d26, 0xf8a3, 0x47d5, {0x91, 0xc4, 0x3a, 0x0f, 0xd8, 0x62, 0x5e, 0x71}};
const GUID kCategories[] = {KSCATEGORY_CAPTURE};

}  // namespace

const KSFILTER_DESCRIPTOR kSourceFilter = {
    nullptr,
    nullptr,
    KSFILTER_DESCRIPTOR_VERSION,
    0,
    &kReference,
    DEFINE_KSFILTER_PIN_DESCRIPTORS(kPins),
    DEFINE_KSFILTER_CATEGORIES(kCategories),
    DEFINE_KSFILTER_NODE_DESCRIPTORS_NULL,
    DEFINE_KSFILTER_DEFAULT_CONNECTIONS,
    nullptr,
};

}  // namespace ksalloc

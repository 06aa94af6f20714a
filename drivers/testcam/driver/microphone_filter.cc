// The microphone's filter: what it is called, and AVStream's calls to its one pin, each handed on to the Microphone.
#include "filters.h"
#include "microphone.h"

namespace testcam {
namespace {

// PENDING always: what is due has been written, and the timer attempts again when there is more.
NTSTATUS process(PKSPIN Pin) {
  microphone_of(Pin).process();
  return STATUS_PENDING;
}

#pragma code_seg(push, "PAGE")

NTSTATUS create(PKSPIN Pin, PIRP) {
  PAGED_CODE();
  Microphone* microphone = allocate<Microphone>();
  if (microphone == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  NTSTATUS status = KsAddItemToObjectBag(Pin->Bag, microphone, nullptr);
  if (!NT_SUCCESS(status)) {
    ExFreePoolWithTag(microphone, kTag);
    return status;
  }
  microphone->initialize(Pin, read_agreed_sound(*Pin->ConnectionFormat));
  Pin->Context = microphone;
  return STATUS_SUCCESS;
}

NTSTATUS close(PKSPIN Pin, PIRP) {
  PAGED_CODE();
  microphone_of(Pin).release();
  return STATUS_SUCCESS;
}

NTSTATUS set_data_format(PKSPIN Pin, PKSDATAFORMAT OldFormat, PKSMULTIPLE_ITEM, const KSDATARANGE* DataRange,
                         const KSATTRIBUTE_LIST*) {
  PAGED_CODE();
  SoundFormat format;
  NTSTATUS status = read_format(*Pin->ConnectionFormat, *DataRange, format);
  if (!NT_SUCCESS(status) || OldFormat == nullptr) return status;  // without an old one the pin is not created yet
  Microphone& microphone = microphone_of(Pin);
  if (microphone.acquired()) return same(format, microphone.format()) ? STATUS_SUCCESS : STATUS_INVALID_DEVICE_STATE;
  microphone.set_format(format);
  return STATUS_SUCCESS;
}

NTSTATUS set_device_state(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  PAGED_CODE();
  Microphone& microphone = microphone_of(Pin);
  if (ToState == KSSTATE_STOP) microphone.release();
  if (ToState == KSSTATE_ACQUIRE && FromState == KSSTATE_STOP) microphone.acquire();
  if (ToState == KSSTATE_PAUSE && FromState == KSSTATE_RUN) microphone.pause();
  if (ToState == KSSTATE_RUN) microphone.run();
  return STATUS_SUCCESS;
}

#pragma code_seg(pop)

// Nothing is kept of the queue, so there is nothing to do when it is reset.
const KSPIN_DISPATCH kDispatch = {
    create, close, process, nullptr, set_data_format, set_device_state, nullptr, nullptr, nullptr, nullptr,
};

// Twentieth parts of a second, of the most that there is.
constexpr ULONG kFrameBytes = 48000 * 2 * sizeof(SHORT) / 20;
DECLARE_SIMPLE_FRAMING_EX(kFraming, STATICGUIDOF(KSMEMORY_TYPE_KERNEL_NONPAGED),
                          KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY, 8,
                          sizeof(ULONG) - 1, kFrameBytes / 8, kFrameBytes);

constexpr GUID kReference = {0x27d94eb3, 0x10a6, 0x45f8, {0x8c, 0x1b, 0xd3, 0x60, 0x7e, 0x95, 0x2a, 0x4f}};

const GUID kCategories[] = {KSCATEGORY_AUDIO, KSCATEGORY_CAPTURE};

const KSPIN_DESCRIPTOR_EX kPins[] = {{
    &kDispatch,
    nullptr,
    {0,
     nullptr,
     0,
     nullptr,
     kSoundRangeCount,
     kSoundRanges,
     KSPIN_DATAFLOW_OUT,
     KSPIN_COMMUNICATION_BOTH,
     &KSCATEGORY_AUDIO,
     nullptr,
     {0}},
    0,
    1,  // instances possible
    0,
    &kFraming,
    intersect_sound,
}};

}  // namespace

const KSFILTER_DESCRIPTOR kMicrophoneFilter = {
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

}  // namespace testcam

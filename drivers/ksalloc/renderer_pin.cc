// AVStream's calls to the null renderer's pin, its property, and what AVStream is told of the pin and its filter.
#include "formats.h"
#include "renderer.h"

namespace ksalloc {
namespace {

constexpr ULONG kFrames = 4;
constexpr ULONG kLongAlignment = sizeof(ULONG) - 1;  // a mask, as all alignments of frames

// Any frame will do: the pin upstream knows how large it has to be.
DECLARE_SIMPLE_FRAMING_EX(kFraming, STATICGUIDOF(KSMEMORY_TYPE_KERNEL_NONPAGED),
                          KSALLOCATOR_REQUIREMENTF_SYSTEM_MEMORY | KSALLOCATOR_REQUIREMENTF_PREFERENCES_ONLY, kFrames,
                          kLongAlignment, 0, KSALLOC_PICTURE_BYTES);

Renderer& renderer_of(PKSPIN pin) { return *static_cast<Renderer*>(pin->Context); }

NTSTATUS process(PKSPIN Pin) { return renderer_of(Pin).process(); }

#pragma code_seg(push, "PAGE")

NTSTATUS create(PKSPIN Pin, PIRP) {
  PAGED_CODE();
  Renderer* renderer = make_context<Renderer>(Pin);
  if (renderer == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  renderer->initialize(Pin);
  return STATUS_SUCCESS;
}

// Called before Create too, and does not care: frames of either format are looked at in the same way.
NTSTATUS set_data_format(PKSPIN Pin, PKSDATAFORMAT, PKSMULTIPLE_ITEM, const KSDATARANGE* DataRange,
                         const KSATTRIBUTE_LIST*) {
  PAGED_CODE();
  return judge_format(*Pin->ConnectionFormat, *DataRange);
}

NTSTATUS set_device_state(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
  PAGED_CODE();
  if (ToState == KSSTATE_ACQUIRE && FromState == KSSTATE_STOP) renderer_of(Pin).start_over();
  return STATUS_SUCCESS;
}

// AVStream has checked that there is room.
NTSTATUS get_counts(PIRP Irp, PKSPROPERTY, PVOID Data) {
  PAGED_CODE();
  *static_cast<KSALLOC_COUNTS*>(Data) = renderer_of(KsGetPinFromIrp(Irp)).counts();
  Irp->IoStatus.Information = sizeof(KSALLOC_COUNTS);
  return STATUS_SUCCESS;
}

#pragma code_seg(pop)

const KSPROPERTY_ITEM kProperties[] = {DEFINE_KSPROPERTY_ITEM(KSALLOC_PROPERTY_COUNTS, get_counts, sizeof(KSPROPERTY),
                                                              sizeof(KSALLOC_COUNTS), nullptr, nullptr, 0, nullptr,
                                                              nullptr, 0)};

const KSPROPERTY_SET kPropertySets[] = {
    DEFINE_KSPROPERTY_SET(&KSALLOC_PROPSETID_RENDERER, SIZEOF_ARRAY(kProperties), kProperties, 0, nullptr)};

const KSAUTOMATION_TABLE kAutomation = {DEFINE_KSAUTOMATION_PROPERTIES(kPropertySets), DEFINE_KSAUTOMATION_METHODS_NULL,
                                        DEFINE_KSAUTOMATION_EVENTS_NULL};

const KSPIN_DISPATCH kDispatch = {
    create, nullptr, process, nullptr, set_data_format, set_device_state, nullptr, nullptr, nullptr, nullptr,
};

// No interfaces and no mediums are the standard ones.
const KSPIN_DESCRIPTOR_EX kPins[] = {{
    &kDispatch,
    &kAutomation,
    {0,
     nullptr,
     0,
     nullptr,
     kFormats,
     kRanges,
     KSPIN_DATAFLOW_IN,
     KSPIN_COMMUNICATION_BOTH,
     &KSCATEGORY_RENDER,
     &KSCATEGORY_RENDER,
     {0}},
    KSPIN_FLAG_RENDERER,
    1,  // instances possible
    0,
    &kFraming,
    intersect,
}};

constexpr GUID kReference = {0xc05d713a, 0x6e42, 0x4a9b, {0xbf, 0x1d, 0x82, 0x74, 0xe6, 0x09, 0xa5, 0x3c}};
const GUID kCategories[] = {KSCATEGORY_RENDER};

}  // namespace

const KSFILTER_DESCRIPTOR kRendererFilter = {
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

// The camera's filter: what it is called, and its two pins. Processing is pin-centric, and a pin is all there is to do:
// the filter has no dispatch of its own.
#include "events.h"
#include "filters.h"
#include "formats.h"
#include "pin.h"
#include "properties.h"

namespace testcam {
namespace {

constexpr GUID kReference = {0x8a6f0c54, 0x7be1, 0x4d29, {0xb0, 0x6d, 0x1f, 0x58, 0x92, 0xe4, 0x37, 0xc0}};

const GUID kCategories[] = {KSCATEGORY_VIDEO, KSCATEGORY_CAPTURE, KSCATEGORY_VIDEO_CAMERA};

const KSAUTOMATION_TABLE kPinAutomation = {DEFINE_KSAUTOMATION_PROPERTIES(kPinPropertySets),
                                           DEFINE_KSAUTOMATION_METHODS_NULL, DEFINE_KSAUTOMATION_EVENTS(kPinEventSets)};

const KSAUTOMATION_TABLE kFilterAutomation = {DEFINE_KSAUTOMATION_PROPERTIES(kFilterPropertySets),
                                              DEFINE_KSAUTOMATION_METHODS_NULL,
                                              DEFINE_KSAUTOMATION_EVENTS(kFilterEventSets)};

// No interfaces and no mediums are the standard ones.
constexpr KSPIN_DESCRIPTOR_EX pin_of(const GUID* category, ULONG flags) {
  return {
      &kVideoPinDispatch,
      &kPinAutomation,
      {0,
       nullptr,
       0,
       nullptr,
       TESTCAM_FORMATS,
       kVideoRanges,
       KSPIN_DATAFLOW_OUT,
       KSPIN_COMMUNICATION_BOTH,
       category,
       category,
       {0}},
      flags,
      1,  // instances possible: each has its channel
      0,
      &kVideoFraming,
      intersect_video,
  };
}

// A graph may take its time from the capture pin. The clock is AVStream's own, by the system's time.
const KSPIN_DESCRIPTOR_EX kPins[TESTCAM_CHANNELS] = {pin_of(&PINNAME_VIDEO_CAPTURE, KSPIN_FLAG_IMPLEMENT_CLOCK),
                                                     pin_of(&PINNAME_VIDEO_PREVIEW, 0)};

}  // namespace

const KSFILTER_DESCRIPTOR kCameraFilter = {
    nullptr,
    &kFilterAutomation,
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

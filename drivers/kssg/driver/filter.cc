// The filter and its pin, as AVStream is told of them. Processing is pin-centric: the filter has no dispatch of its
// own.
#include "filter.h"

#include "formats.h"
#include "pin.h"

namespace kssg {
namespace {

constexpr GUID kReference = {0x19e7b3c8, 0x5d04, 0x4f62, {0xa3, 0x8b, 0x70, 0xc6, 0x2d, 0x41, 0x9f, 0x5a}};

const GUID kCategories[] = {KSCATEGORY_VIDEO, KSCATEGORY_CAPTURE};

// No interfaces and no mediums are the standard ones.
const KSPIN_DESCRIPTOR_EX kPins[] = {{
    &kPinDispatch,
    nullptr,
    {0,
     nullptr,
     0,
     nullptr,
     kSizes,
     kVideoRanges,
     KSPIN_DATAFLOW_OUT,
     KSPIN_COMMUNICATION_BOTH,
     &PINNAME_VIDEO_CAPTURE,
     &PINNAME_VIDEO_CAPTURE,
     {0}},
    KSPIN_FLAG_GENERATE_MAPPINGS | KSPIN_FLAG_PROCESS_IN_RUN_STATE_ONLY,
    1,  // instances possible, of each filter
    0,
    &kPinFraming,
    intersect,
}};

}  // namespace

const KSFILTER_DESCRIPTOR kFilter = {
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

}  // namespace kssg

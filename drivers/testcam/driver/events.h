// What clients can be told: of lost pictures, of every nth picture, and of a control that was changed.
#pragma once

#include "common.h"

namespace testcam {

// For the automation tables of the video pins and the camera's filter.
extern const KSEVENT_SET kPinEventSets[2];
extern const KSEVENT_SET kFilterEventSets[1];

// Up to DISPATCH_LEVEL.
void tell_discontinuity(PKSPIN pin);
void tell_picture(PKSPIN pin, LONGLONG number);
void tell_control_changed(PKSFILTER filter);

}  // namespace testcam

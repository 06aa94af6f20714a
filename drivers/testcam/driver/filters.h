// The two filters of the device, as AVStream is told of them.
#pragma once

#include "common.h"

namespace testcam {

extern const KSFILTER_DESCRIPTOR kCameraFilter;      // camera_filter.cc: pin 0 captures, pin 1 previews
extern const KSFILTER_DESCRIPTOR kMicrophoneFilter;  // microphone_filter.cc: pin 0 captures

}  // namespace testcam

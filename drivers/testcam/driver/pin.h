// The video pins: capture is pin 0 and preview pin 1, and each has a channel of the camera of the same number.
#pragma once

#include "common.h"

namespace testcam {

extern const KSPIN_DISPATCH kVideoPinDispatch;
extern const KSALLOCATOR_FRAMING_EX kVideoFraming;

}  // namespace testcam

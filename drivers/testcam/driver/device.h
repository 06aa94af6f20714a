#pragma once

#include "common.h"

namespace testcam {

extern const KSDEVICE_DISPATCH kDeviceDispatch;

}  // namespace testcam

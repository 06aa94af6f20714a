#pragma once

#include "common.h"

namespace kssg {

extern const KSDEVICE_DISPATCH kDeviceDispatch;

}  // namespace kssg

#pragma once

#include "common.h"

namespace kssg {

extern const KSPIN_DISPATCH kPinDispatch;
extern const KSALLOCATOR_FRAMING_EX kPinFraming;

}  // namespace kssg

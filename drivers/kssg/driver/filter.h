#pragma once

#include "common.h"

namespace kssg {

extern const KSFILTER_DESCRIPTOR kFilter;  // pin 0 captures

}  // namespace kssg

// The controls of the camera, and the counts of its pins.
#pragma once

#include "common.h"

namespace testcam {

// For the automation tables of the camera's filter and its pins.
extern const KSPROPERTY_SET kFilterPropertySets[2];
extern const KSPROPERTY_SET kPinPropertySets[1];

}  // namespace testcam

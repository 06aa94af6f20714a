#pragma once

#include <string>

#include "abi/km/wdm.h"
#include "base/result.h"
#include "nt/machine/machine.h"

namespace ks {

// What the registry calls a pin or a node: the "Name" below MediaCategories and the GUID
// (audio/friendly-names-for-audio-endpoint-devices). STATUS_NOT_FOUND when it has no name.
base::Result<std::u16string> friendly_name(nt::Machine& machine, const GUID& guid);

}  // namespace ks

#pragma once

#include "abi/km/wdm.h"

namespace nt {

// "IRP_MJ_CREATE", …
const char* irp_name(UCHAR major);

}  // namespace nt

#pragma once

#include "abi/um/d3dumddi.h"
#include "umd/common/device.h"

namespace umd {

// The first function that a driver of this version must have in its table and does not have; null: it has them all.
// Functions that no runtime calls any more, and those that a shipping driver leaves out, may be missing.
const char* missing_function(const D3DDDI_DEVICEFUNCS& table, Era era);

// Which Windows an interface version of user-mode drivers belongs to (D3D_UMD_INTERFACE_VERSION_…). One that lies
// between two known ones counts as the earlier.
Era era_of(UINT version);

}  // namespace umd

#pragma once

#include "umd/d3d10/device10.h"

namespace umd {

// The handle of a device's core layer, which differs from the device's own: a driver that confuses them is found.
D3D10DDI_HRTCORELAYER core_layer_of(const Device& device);

// The table in D3D10DDIARG_CREATEDEVICE::p11UMCallbacks; a driver of Direct3D 10 sees its beginning.
const D3D11DDI_CORELAYER_DEVICECALLBACKS& core_callbacks();

}  // namespace umd

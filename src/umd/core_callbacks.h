#pragma once

#include "umd/device10.h"

namespace umd {

// The handle of a device's core layer, which is another than the device's own: one taken for the other is found.
D3D10DDI_HRTCORELAYER core_layer_of(const Device& device);

// What a driver finds in D3D10DDIARG_CREATEDEVICE::p11UMCallbacks; of Direct3D 10 it sees the beginning.
const D3D11DDI_CORELAYER_DEVICECALLBACKS& core_callbacks();

}  // namespace umd

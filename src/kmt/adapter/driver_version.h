#pragma once

#include <cstdint>

namespace kmt {

// What clients call the driver model (KMT_DRIVERVERSION_WDDM_*) of a driver that declared this interface version
// (DXGKDDI_INTERFACE_VERSION_*).
uint32_t driver_version(uint32_t interface_version);

}  // namespace kmt

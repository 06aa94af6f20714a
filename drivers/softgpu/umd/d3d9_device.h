// The Direct3D 9 DDI's device: the state that commands are made of.
#pragma once

#include "d3d9_state.h"
#include "device.h"
#include "query.h"

namespace softgpu {

// hDevice of the DDI. Made by CreateDevice, ended by DestroyDevice.
class D3d9Device final : public Device {
 public:
  State state;
  Queries queries;
};

inline D3d9Device& device_of(HANDLE handle) { return *static_cast<D3d9Device*>(handle); }

// hResource of the DDI; null for none.
inline Resource* resource_of(HANDLE handle) { return static_cast<Resource*>(handle); }

// The functions of the driver, as much of the table as `version` has.
void fill_device_functions(UINT version, D3DDDI_DEVICEFUNCS* functions);

}  // namespace softgpu

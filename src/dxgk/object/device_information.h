#pragma once

#include <string>

#include "abi/km/dispmprt.h"

namespace nt {
class Machine;
}

namespace dxgk {

class Adapter;

// What DxgkCbGetDeviceInformation answers: the adapter's resources and registry path, in the machine's memory, where
// they stay until the machine ends. Owned by the adapter; never changes.
class DeviceInformation {
 public:
  DeviceInformation(Adapter& adapter, PDEVICE_OBJECT physical_device);

  void fill(DXGK_DEVICE_INFO& info) const;

 private:
  Adapter& adapter_;
  PDEVICE_OBJECT physical_device_;
  UNICODE_STRING registry_path_;
  CM_RESOURCE_LIST* resources_;
};

}  // namespace dxgk

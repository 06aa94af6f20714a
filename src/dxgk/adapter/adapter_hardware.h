#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/km/dispmprt.h"
#include "dxgk/adapter/adapter.h"
#include "nt/hardware/device.h"
#include "nt/hardware/registers.h"
#include "nt/io/device_objects.h"
#include "nt/store/registry.h"

namespace dxgk {

// What the bus and the setup of the computer say about an adapter before its driver runs. A value; what it points to
// outlives the adapter.
struct Adapter::Hardware {
  nt::Device* device = nullptr;  // for configuration space; null: there is none to read
  std::vector<nt::Device::Range> memory;
  std::optional<nt::InterruptLine> line;

  // UserModeDriverName of the adapter's software key: Direct3D 9, 10, 11, 12, in this order (observed).
  std::vector<std::string> user_mode_drivers{"drydock_umd"};
  std::string registry_path = "\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\Display\\0000";
  bool post_device = false;                 // the firmware shows its picture here
  DXGK_DISPLAY_INFORMATION post_display{};  // the firmware's picture; Width 0: unknown

  // The version of the Windows that gives DXGKRNL_INTERFACE, which decides its size. 0: the driver's own.
  uint32_t interface_version = 0;

  // Registers, configuration space and interrupt of a device model.
  static Hardware of(nt::Device& model) {
    Hardware hardware;
    hardware.device = &model;
    for (uint32_t i = 0; i < DRYDOCK_DEVICE_BARS; ++i) {
      if (auto range = model.bar(i)) hardware.memory.push_back(*range);
    }
    hardware.line = model.line();
    return hardware;
  }
};

}  // namespace dxgk

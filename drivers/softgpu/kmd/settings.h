// What the registry says about an adapter, in its software key (DeviceRegistryPath): values of type REG_DWORD, all of
// them optional.
//
//   LocalBytes      how much of local memory the driver uses
//   ApertureBytes   how large the aperture is
//
// Both are multiples of 4096 that make memory smaller than it is, so that what it does when it runs out can be tried
// without filling it. Other values count as not set.
#pragma once

#include "config.h"
#include "softgpu_address.h"

namespace softgpu {

struct Settings {
  ULONG local_bytes;  // 0: not set
  ULONG aperture_bytes;
};

Settings read_settings(const UNICODE_STRING& key_path);

inline ULONG64 smaller_if_set(ULONG64 bytes, ULONG setting) {
  return setting != 0 && setting % SOFTGPU_PAGE_BYTES == 0 && setting < bytes ? setting : bytes;
}

}  // namespace softgpu

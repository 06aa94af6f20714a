#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace client {

// What DXCore tells about an adapter. A value, in plain types: dxcore.cc cannot see the kernel's headers, whose names
// clash with those of DirectX.
struct AdapterFacts {
  uint32_t luid_low = 0;
  int32_t luid_high = 0;
  std::string description;  // UTF-8
  uint32_t vendor = 0, device = 0, subsystem = 0, subvendor = 0, revision = 0;
  uint64_t driver_version = 0;
  uint64_t dedicated_adapter_memory = 0, dedicated_system_memory = 0, shared_system_memory = 0;
  bool graphics = false;  // a Direct3D device can be had that draws
  bool compute = false;   // a device can be had that computes
};

// The adapters of this process's graphics kernel that clients may open; none when there is no kernel.
std::vector<AdapterFacts> adapter_facts();

}  // namespace client

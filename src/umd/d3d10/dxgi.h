#pragma once

#include <span>

#include "abi/um/d3d10umddi.h"
#include "umd/common/resource.h"

namespace umd {

class Device10;

struct DxgiPresent {
  Resource* source = nullptr;
  UINT source_subresource = 0;
  Resource* destination = nullptr;  // null: the kernel knows it
  UINT destination_subresource = 0;
  DXGI_DDI_PRESENT_FLAGS flags{};
  DXGI_DDI_FLIP_INTERVAL_TYPE interval = DXGI_DDI_FLIP_INTERVAL_IMMEDIATE;
};

struct DxgiBlt {
  Resource* destination = nullptr;
  UINT destination_subresource = 0;
  RECT rect{};
  Resource* source = nullptr;
  UINT source_subresource = 0;
  DXGI_DDI_ARG_BLT_FLAGS flags{};
  DXGI_DDI_MODE_ROTATION rotation = DXGI_DDI_MODE_ROTATION_IDENTITY;
};

// DXGI as a driver sees it: the base functions of one device. Part of the device, on the thread of its immediate
// context.
class Dxgi {
 public:
  explicit Dxgi(Device10& device) : device_(device) {}

  HRESULT present(const DxgiPresent& what);
  HRESULT blt(const DxgiBlt& what);
  // Each takes the identity of its successor, the last that of the first.
  HRESULT rotate_resource_identities(std::span<Resource* const> resources);
  HRESULT set_resource_priority(Resource* resource, UINT priority);
  HRESULT query_resource_residency(std::span<Resource* const> resources, DXGI_DDI_RESIDENCY* status);
  HRESULT set_display_mode(Resource* resource, UINT subresource);
  HRESULT get_gamma_caps(DXGI_GAMMA_CONTROL_CAPABILITIES* caps);

  // For the creation of a device, and for callbacks.
  DXGI_DDI_BASE_ARGS arguments();
  // The frame of a call of PresentDXGI has this name, and no other frame has.
  static constexpr char kPresentName[] = "PresentDXGI";
  const DXGI1_3_DDI_BASE_FUNCTIONS& functions() const { return functions_; }
  // What the driver hands back with pfnPresentCb; null while nothing is presented.
  void* context() const { return presenting_; }

 private:
  Device10& device_;
  DXGI1_3_DDI_BASE_FUNCTIONS functions_{};
  DXGI_DDI_BASE_CALLBACKS callbacks_{};
  void* presenting_ = nullptr;
  uint64_t presents_ = 0;
};

// dxgi_callbacks.cc
void fill_dxgi_callbacks(DXGI_DDI_BASE_CALLBACKS& table);

}  // namespace umd

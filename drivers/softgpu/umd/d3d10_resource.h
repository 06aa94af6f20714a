// Resources and views as the Direct3D 10 and 11 DDI names them.
#pragma once

#include <d3d10umddi.h>

#include "blit.h"
#include "resource.h"

namespace softgpu::d3d10 {

// hResource: lies in the runtime's memory from the creation until DestroyResource returns. What outlives that is the
// Resource, which RotateResourceIdentities exchanges among them.
struct ResourceHandle {
  Resource* resource;
  HANDLE runtime;
  bool primary;  // not shared: belongs to the immediate context, and ends when it is told to
};

inline ResourceHandle* handle_of(D3D10DDI_HRESOURCE handle) { return static_cast<ResourceHandle*>(handle.pDrvPrivate); }
inline Resource* resource_of(D3D10DDI_HRESOURCE handle) {
  return handle.pDrvPrivate ? handle_of(handle)->resource : nullptr;
}

// Constants go with each draw's packet, so that they are in memory of the driver's own.
inline bool is_constants(const Resource& resource) { return resource.surfaces[0].system != nullptr; }

inline bool is_buffer(const Resource& resource) { return resource.format.use == FormatUse::Buffer; }

// Any view: a level of a resource, and for shaders those behind it. Lies in the runtime's memory; ends before its
// resource.
struct View {
  ResourceHandle* resource;
  uint32_t index;
  uint32_t levels;
  bool read_only;
};

inline Place place_of(const View& view) { return softgpu::place_of(view.resource->resource, view.index); }

}  // namespace softgpu::d3d10

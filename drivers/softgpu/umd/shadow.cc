// The CPU's access to what another process made: only its creator may lock an allocation, so that the GPU copies it to
// memory of our own, and back.
#include "blit.h"
#include "device.h"

namespace softgpu {
namespace {

Resource* new_shadow(const Surface& surface) {
  ResourceShape shape = {};
  shape.format = find_format(D3DDDIFMT_VERTEXDATA);
  shape.cached = true;
  shape.levels = 1;
  shape.surface_count = 1;
  Resource* shadow = new_resource(shape);
  if (shadow) shape_surface(*shadow, 0, {static_cast<uint32_t>(surface.bytes()), 1, 0, nullptr});
  return shadow;
}

}  // namespace

// It is in no list but its surface's, and afterwards among the retired. To wait is all it can do: what was copied
// before is old.
HRESULT Device::map_shadow(Surface& surface, Access access) {
  Resource* shadow = new_shadow(surface);
  if (!shadow) return E_OUTOFMEMORY;
  HRESULT result = allocate_memory(kernel_, *shadow);
  if (FAILED(result)) {
    abandon_resource(*this, shadow);
    return result;
  }
  Surface& bytes = shadow->surfaces[0];
  result = copy_memory_of(*this, surface, bytes);
  Access its_access = access == Access::Read ? Access::Read : Access::Write;
  uint8_t* mapped = nullptr;
  if (SUCCEEDED(result)) result = map(*shadow, bytes, its_access, Wait::Yes, &mapped);
  if (FAILED(result)) {
    defer(shadow);
    return result;
  }
  surface.shadow = shadow;
  surface.shadow_written = access != Access::Read;
  surface.mapped = mapped;
  return S_OK;
}

HRESULT Device::unmap_shadow(Surface& surface, bool copy_back) {
  Surface& bytes = surface.shadow->surfaces[0];
  HRESULT result = unmap(bytes);
  if (FAILED(result)) return result;
  surface.mapped = nullptr;
  Resource* shadow = surface.shadow;
  surface.shadow = nullptr;
  if (copy_back) result = copy_memory_of(*this, bytes, surface);
  defer(shadow);
  return result;
}

}  // namespace softgpu

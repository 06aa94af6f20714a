#include "resource.h"

#include <stddef.h>
#include <stdlib.h>

#include "device.h"

namespace softgpu {
namespace {

constexpr uint32_t kPitchAlignment = 64;

uint32_t memory_flags(const Resource& resource) {
  uint32_t flags = SOFTGPU_ALLOCATION_CPU_VISIBLE;
  if (resource.cached) flags |= SOFTGPU_ALLOCATION_CACHED;
  if (resource.shared) flags |= SOFTGPU_ALLOCATION_SHARED;
  return flags;
}

SOFTGPU_ALLOCATION describe(const Resource& resource, const Surface& surface) {
  uint32_t flags = memory_flags(resource);
  if (resource.format.use == FormatUse::Buffer) return describe_buffer(surface.bytes(), flags);
  return describe_surface(surface.width, surface.height, surface.pitch, resource.format.name, flags);
}

HRESULT allocate_all(const Kernel& kernel, Resource& resource, SOFTGPU_ALLOCATION* data, Allocation** allocations) {
  for (uint32_t i = 0; i < resource.surface_count; ++i) {
    data[i] = describe(resource, resource.surfaces[i]);
    allocations[i] = &resource.surfaces[i].own;
  }
  HRESULT result = allocate(kernel, resource.runtime, data, allocations, resource.surface_count);
  if (SUCCEEDED(result)) resource.associated = resource.runtime != nullptr;
  return result;
}

HRESULT allocate_many(const Kernel& kernel, Resource& resource) {
  size_t count = resource.surface_count;
  auto* data = static_cast<SOFTGPU_ALLOCATION*>(calloc(count, sizeof(SOFTGPU_ALLOCATION)));
  auto* allocations = static_cast<Allocation**>(calloc(count, sizeof(Allocation*)));
  HRESULT result = data && allocations ? allocate_all(kernel, resource, data, allocations) : E_OUTOFMEMORY;
  free(data);
  free(allocations);
  return result;
}

void delete_instances(Surface& surface) {
  for (Allocation* instance = surface.own.next; instance && instance != &surface.own;) {
    Allocation* following = instance->next;
    free(instance);
    instance = following;
  }
}

// Only the driver's own memory, of which there is one surface, is given back by its list.
HRESULT deallocate_own(const Kernel& kernel, Resource& resource, InUse in_use) {
  D3DKMT_HANDLE handles[kMostInstances];
  UINT count = 0;
  for_each_allocation(resource, [&](Allocation& allocation) {
    if (count < kMostInstances) handles[count++] = allocation.handle;
  });
  return count ? deallocate_list(kernel, handles, count, in_use) : S_OK;
}

}  // namespace

// --- Making ---

Resource* new_resource(const ResourceShape& shape) {
  size_t bytes = offsetof(Resource, surfaces) + shape.surface_count * sizeof(Surface);
  auto* resource = static_cast<Resource*>(calloc(1, bytes < sizeof(Resource) ? sizeof(Resource) : bytes));
  if (!resource) return nullptr;
  resource->runtime = shape.runtime;
  resource->format = shape.format;
  resource->shared = shape.shared;
  resource->cached = shape.cached;
  resource->levels = shape.levels;
  resource->surface_count = shape.surface_count;
  return resource;
}

void shape_surface(Resource& resource, uint32_t index, const SurfaceShape& shape) {
  Surface& surface = resource.surfaces[index];
  uint32_t row = shape.width * resource.format.pixel_bytes;
  bool aligned = resource.format.use != FormatUse::Buffer;
  surface.width = shape.width;
  surface.height = shape.height;
  surface.pitch = aligned ? (row + kPitchAlignment - 1) & ~(kPitchAlignment - 1) : row;
  if (shape.system) {
    surface.system = shape.system;
    if (shape.pitch) surface.pitch = shape.pitch;
  }
  surface.current = &surface.own;
  surface.own.next = &surface.own;
  surface.instances = 1;
}

HRESULT allocate_memory(const Kernel& kernel, Resource& resource) {
  if (resource.surface_count == 0 || resource.surfaces[0].system) return S_OK;
  if (resource.surface_count > kFewAllocations) return allocate_many(kernel, resource);
  SOFTGPU_ALLOCATION data[kFewAllocations];
  Allocation* allocations[kFewAllocations];
  return allocate_all(kernel, resource, data, allocations);
}

HRESULT add_instance(const Kernel& kernel, const Resource& resource, Surface& surface) {
  auto* instance = static_cast<Allocation*>(calloc(1, sizeof(Allocation)));
  if (!instance) return E_OUTOFMEMORY;
  SOFTGPU_ALLOCATION data = describe(resource, surface);
  HRESULT result = allocate(kernel, resource.runtime, &data, &instance, 1);
  if (FAILED(result)) {
    free(instance);
    return result;
  }
  instance->next = surface.current->next;
  surface.current->next = instance;
  ++surface.instances;
  return S_OK;
}

// --- Ending ---

uint64_t last_use(const Resource& resource) {
  uint64_t last = resource.kept;
  for_each_allocation(const_cast<Resource&>(resource), [&](const Allocation& allocation) {
    if (allocation.last_use > last) last = allocation.last_use;
  });
  return last;
}

// Memory that others know may be in use by them, whatever our fence says.
HRESULT free_resource(Device& device, Resource* resource) {
  for (uint32_t i = 0; i < resource->surface_count; ++i) {
    HRESULT result = device.unmap_all(resource->surfaces[i]);
    if (FAILED(result)) return result;
  }
  bool idle = !resource->shared && device.context().done(last_use(*resource));
  InUse in_use = idle ? InUse::Not : InUse::Maybe;
  const Kernel& kernel = device.kernel();
  HRESULT result = S_OK;
  if (resource->associated) {
    result = deallocate_resource(kernel, resource->runtime, in_use);
  } else if (!resource->runtime) {
    result = deallocate_own(kernel, *resource, in_use);
  }
  if (FAILED(result)) return result;
  abandon_resource(device, resource);
  return S_OK;
}

void abandon_resource(Device& device, Resource* resource) {
  for_each_allocation(*resource, [&](Allocation& allocation) { device.context().forget(allocation); });
  for (uint32_t i = 0; i < resource->surface_count; ++i) {
    Surface& surface = resource->surfaces[i];
    delete_instances(surface);
    if (surface.shadow) abandon_resource(device, surface.shadow);
  }
  free(resource);
}

}  // namespace softgpu

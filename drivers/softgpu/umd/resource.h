// Resources: groups of surfaces that are created and destroyed together; the same for every DDI.
#pragma once

#include "allocation.h"
#include "format.h"

namespace softgpu {

class Device;
struct Resource;

// A level of a texture, a target, a buffer (one row of bytes). Its memory is an allocation, or the runtime's own.
struct Surface {
  uint32_t width;
  uint32_t height;
  uint32_t pitch;
  uint8_t* system;      // the runtime's memory: there is no allocation
  Allocation own;       // its first instance, which it is created with
  Allocation* current;  // the one that commands and locks use now; others are on the circle through Allocation::next
  uint32_t instances;
  uint32_t locks;       // by the CPU
  uint8_t* mapped;      // while there are any
  Resource* shadow;     // what is mapped instead, of a surface that another process made
  bool shadow_written;  // and has to be copied back

  uint64_t bytes() const { return static_cast<uint64_t>(pitch) * height; }
};

// Owned by its device: in the list of those that live until it is retired, then in the queue of those whose memory
// waits to be given back. One block of memory, with its surfaces behind it.
struct Resource {
  Resource* next;
  Resource* previous;
  HANDLE runtime;  // the runtime's handle; null for what is the driver's own
  Format format;
  bool shared;      // others know its memory: it is never renamed
  bool opened;      // another device made it
  bool cached;      // the CPU uses it often: it stays in system memory
  bool associated;  // memory was allocated for `runtime` or opened with it, and is given back in its name
  uint32_t levels;  // of a texture; 1 for everything else
  uint64_t kept;    // the last batch that it may not end before, whether commands of it use the resource or not
  uint32_t surface_count;
  Surface surfaces[1];

  Surface* surface(uint32_t index) { return index < surface_count ? &surfaces[index] : nullptr; }
};

// What a resource shall be, as Resource has it. `pitch` and `system` of its surfaces only with the runtime's own
// memory.
struct SurfaceShape {
  uint32_t width;
  uint32_t height;
  uint32_t pitch;
  uint8_t* system;
};
struct ResourceShape {
  HANDLE runtime;
  Format format;
  bool shared;
  bool cached;
  uint32_t levels;
  uint32_t surface_count;
};

// An empty resource; the caller fills in its surfaces, then it is given memory. Null: no memory for it.
Resource* new_resource(const ResourceShape& shape);
void shape_surface(Resource& resource, uint32_t index, const SurfaceShape& shape);
// One call for all of its surfaces. A resource in the runtime's memory needs none.
HRESULT allocate_memory(const Kernel& kernel, Resource& resource);
// One instance more for a surface, behind its current one; at most kMostInstances in all.
inline constexpr uint32_t kMostInstances = 8;
HRESULT add_instance(const Kernel& kernel, const Resource& resource, Surface& surface);

// Gives the memory back and ends the resource; on failure it is as it was.
HRESULT free_resource(Device& device, Resource* resource);
// Ends it without giving anything back: it has nothing of the kernel's, or the kernel would not take it.
void abandon_resource(Device& device, Resource* resource);

// The last batch that needs any of it.
uint64_t last_use(const Resource& resource);

// Calls `f` with each instance of each surface.
template <typename F>
void for_each_allocation(Resource& resource, F&& f) {
  for (uint32_t i = 0; i < resource.surface_count; ++i) {
    Surface& surface = resource.surfaces[i];
    if (!surface.own.handle) continue;
    Allocation* allocation = &surface.own;
    do {
      Allocation* following = allocation->next;
      f(*allocation);
      allocation = following;
    } while (allocation != &surface.own);
  }
}

}  // namespace softgpu

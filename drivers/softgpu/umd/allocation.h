// Memory of the kernel's, as commands and the CPU use it.
#pragma once

#include <stdint.h>

#include "kernel.h"
#include "softgpu_user.h"

namespace softgpu {

// One allocation. Part of a surface, or of the driver's own memory; touched by the device's thread alone. Batches are
// counted by the context; 0 is none.
struct Allocation {
  D3DKMT_HANDLE handle;
  uint64_t bytes;
  uint64_t last_use;    // the last batch whose commands name it
  uint64_t last_write;  // the last batch that writes it

  // Where commands are patched: the batch whose allocation list has it, and where. A renamed allocation is in no list.
  uint64_t listed_in;
  uint32_t list_index;

  // Where commands have addresses.
  bool resident;
  uint64_t address;   // 0: not mapped yet
  Allocation* newer;  // among those that are resident, by last use
  Allocation* older;
  Allocation* next;  // the next instance of the same surface, in a circle; itself if there is no other
};

// How many allocations are described without a block of memory for it.
inline constexpr UINT kFewAllocations = 16;

// What the kernel-mode driver is told of one.
SOFTGPU_ALLOCATION describe_buffer(uint64_t bytes, uint32_t flags);
SOFTGPU_ALLOCATION describe_surface(uint32_t width, uint32_t height, uint32_t pitch, uint32_t format, uint32_t flags);

// Makes all of them in one call, or none. `resource` is the runtime's handle, or null for the device's own memory.
HRESULT allocate(const Kernel& kernel, HANDLE resource, SOFTGPU_ALLOCATION* data, Allocation* const* allocations,
                 UINT count);

// How the kernel shall wait for commands that may still use what is deallocated.
enum class InUse { Maybe, Not };

// Everything that was allocated for a resource.
HRESULT deallocate_resource(const Kernel& kernel, HANDLE resource, InUse in_use);
HRESULT deallocate_list(const Kernel& kernel, const D3DKMT_HANDLE* handles, UINT count, InUse in_use);

}  // namespace softgpu

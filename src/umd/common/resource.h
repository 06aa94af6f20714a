#pragma once

#include <cstdint>
#include <memory>

#include "abi/shared/d3dukmdt.h"
#include "base/debug/stack_table.h"

namespace umd {

//   Creating --> Live --> Zombie --> gone
//       |          |                  ^
//       +--> gone  +------------------+   (nothing left to deallocate)
//
// A zombie's driver handle is destroyed, but the driver still has to deallocate with the runtime's handle.
enum class ResourceState : uint8_t { Creating, Live, Zombie };

// Which commands use some memory. It goes with the memory where resources exchange theirs, and a copy of it outlives
// the resource.
struct MemoryUse {
  uint64_t id = 0;            // of the memory, among all that resources of the device ever had
  uint64_t last_command = 0;  // that uses it, as PendingCommands counts them
};

struct Resource;

// What a driver allocated in the name of no resource (hResource NULL) while it created one: the memory of that
// resource, as long as there is no other. Kept by the resource and by the allocations; guarded by the runtime's lock.
struct UnnamedMemory {
  const Resource* owner = nullptr;  // null: destroyed
  MemoryUse use{};                  // the owner's, when it was destroyed
  uint32_t live = 0;                // allocations
  bool followed = true;             // false: the resource may have other memory
  base::StackId allocated_at = 0;
};

// A resource, as the runtime knows it. Owned by its device; guarded by the runtime's lock, but for what never changes
// after creation.
struct Resource {
  HANDLE handle = nullptr;         // the runtime's, which the driver uses in callbacks
  HANDLE driver_handle = nullptr;  // the driver's, which the runtime uses in the driver's functions
  D3DKMT_HANDLE kernel = 0;        // once memory was allocated for it
  D3DKMT_HANDLE global_share = 0;
  ResourceState state = ResourceState::Creating;
  UINT width = 0;  // of the first surface; 0 of one that was opened
  UINT height = 0;
  bool shared = false;
  bool opened = false;  // by OpenResource
  bool primary = false;
  bool scanned_out = false;            // a primary, and the driver has nothing against its being displayed
  bool system_memory = false;          // the runtime's own memory: no command reads or writes it on the GPU
  bool associated = false;             // memory was allocated in its name, or opened with it
  uint32_t released_by_list = 0;       // deallocations that named allocations of it instead of itself
  uint32_t allocations = 0;            // live ones
  D3DKMT_HANDLE first_allocation = 0;  // the first of them, in a list through Allocation::next
  MemoryUse use{};                     // of its memory
  std::shared_ptr<UnnamedMemory> unnamed{};
  uint32_t locks = 0;              // of its first surface, by Direct3D 9
  base::StackId allocated_at = 0;  // where in the driver its first memory came from
  // By hand: one link serves the list of the device's, in both directions, and that of the free ones, by `next` alone.
  Resource* next = nullptr;
  Resource* prev = nullptr;
  void* more = nullptr;  // what the DDI's own layer keeps about it
};

// An allocation that a driver has from pfnAllocateCb or OpenResource.
struct Allocation {
  D3DKMT_HANDLE handle = 0;  // 0: there never was one here
  bool live = false;
  bool primary = false;
  Resource* resource = nullptr;  // null: the device's own. Of a dead one: means nothing.
  bool of_resource = false;      // whether it had a resource, also of a dead one
  D3DKMT_HANDLE next = 0;        // of its resource or of the device
  D3DKMT_HANDLE prev = 0;
  std::shared_ptr<UnnamedMemory> unnamed{};  // that it is a part of
};

}  // namespace umd

#pragma once

#include <span>
#include <string>

#include "umd/common/device.h"

// What is judged about the memory that a driver allocates for a resource: rules for sharing, displays and 32-bit
// programs.
namespace umd {

// pfnAllocateCb names the resource: all memory of a shared one must come in one call, within the call that creates it.
bool judge_shared_allocation(Device& device, const Resource& resource);
// A deallocation names it, and `count` allocations: those of a shared resource are deallocated with it.
bool judge_shared_deallocation(Device& device, const Resource& resource, UINT count, const char* callback);
// CreateResource succeeded. `shape`, of a shared one of Direct3D 9, says what was asked for.
void judge_created(Device& device, const Resource& resource, const std::string& shape);
// Private data of pfnAllocateCb: data for a driver of another pointer width contain no addresses.
void judge_private_data(Device& device, const D3DDDICB_ALLOCATE& args, std::span<const D3DDDI_ALLOCATIONINFO> infos);

}  // namespace umd

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "abi/km/d3dkmddi.h"
#include "nt/machine/machine_observer.h"

namespace dxgk {

// What is wrong with the patch locations that a driver wrote.
struct PatchFault {
  nt::Violation what;
  std::string sentence;
};

// The sizes that the list is checked against.
struct PatchBounds {
  uint32_t bytes = 0;                 // that the driver wrote
  uint32_t allocations = 0;           // elements of the allocation list
  uint32_t most_slots = 0;            // DXGK_DRIVERCAPS::MaxAllocationListSlotId
  const char* ddi = "DxgkDdiRender";  // who wrote the list
};

// The first fault of the list that DxgkDdiRender or DxgkDdiPresent made. A location names an element of the allocation
// list, lies in what was written, and not before the place where the buffer may be split for its allocation; those
// places do not go backwards. Pure.
std::optional<PatchFault> check_patches(std::span<const D3DDDI_PATCHLOCATIONLIST> patches, const PatchBounds& bounds);

}  // namespace dxgk

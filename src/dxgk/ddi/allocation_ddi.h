#pragma once

#include <span>

#include "base/result.h"
#include "dxgk/object/device.h"

namespace dxgk {

// What the driver is shown of an allocation that it opens.
struct OpenedAllocation {
  AllocationView* view;
  std::span<uint8_t> private_data;
};

// DxgkDdiOpenAllocation for all allocations of one resource, or for some without. On success each view has the driver's
// value; on failure there is nothing to close. With the device's mutex held.
base::Result<> open_at_driver(Device& device, std::span<const OpenedAllocation> opened,
                              std::span<const uint8_t> resource_data, bool create, bool read_only);

// DxgkDdiCloseAllocation, in one call.
void close_at_driver(Device& device, std::span<AllocationView* const> views);

// DxgkDdiDestroyAllocation. `resource` null: of no resource; otherwise its driver's value is passed, and read back.
void destroy_at_driver(Adapter& adapter, Process* process, nt::Scope& scope,
                       std::span<const base::Ref<Allocation>> allocations, Resource* resource, bool destroy_resource);

}  // namespace dxgk

#include "dxgk/object/standard_allocation_registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "dxgk/adapter/adapter.h"

namespace dxgk {

// Without private data there is nothing to recognise later.
void StandardAllocationRegistry::add(StandardKind kind, std::span<const uint8_t> data) {
  if (data.empty() || holds(kind, data)) return;
  base::Guard guard(lock_);
  descriptions_.push_back({kind, {data.begin(), data.end()}});
}

bool StandardAllocationRegistry::holds(StandardKind kind, std::span<const uint8_t> data) const {
  base::Guard guard(lock_);
  return std::any_of(descriptions_.begin(), descriptions_.end(), [&](const Description& description) {
    return description.kind == kind &&
           std::equal(description.data.begin(), description.data.end(), data.begin(), data.end());
  });
}

// Only one allocation by itself, as the system makes it: a driver may refuse several in a resource, or for lack of
// something else, without a contradiction to its description.
void StandardAllocationRegistry::judge_refusal(Adapter& adapter, const CreateRequest& request, NTSTATUS status) const {
  if (status != STATUS_INVALID_PARAMETER && status != STATUS_GRAPHICS_DRIVER_MISMATCH) return;
  if (request.allocations.size() != 1 || request.flags.CreateResource) return;
  if (!holds(StandardKind::Staging, request.allocations[0].private_data)) return;
  adapter.machine().report_violation(
      nt::Violation::StandardDataRefused,
      fmt::format("DxgkDdiCreateAllocation answered 0x{:08X} to the {} byte(s) of private data that "
                  "DxgkDdiGetStandardAllocationDriverData wrote for a D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE surface",
                  static_cast<uint32_t>(status), request.allocations[0].private_data.size()));
}

void StandardAllocationRegistry::judge_visibility(Adapter& adapter, const CreateRequest& request,
                                                  std::span<const DXGK_ALLOCATIONINFO> infos) const {
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].Flags.CpuVisible || !holds(StandardKind::Staging, request.allocations[i].private_data)) continue;
    adapter.machine().report_violation(
        nt::Violation::StandardInvisible,
        fmt::format("DxgkDdiCreateAllocation left CpuVisible clear in allocation {}, which is a "
                    "surface of type D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE",
                    i));
    return;
  }
}

}  // namespace dxgk

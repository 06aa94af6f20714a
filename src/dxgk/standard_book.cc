#include "dxgk/standard_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "dxgk/adapter.h"

namespace dxgk {

// A driver without private data has described nothing that could be known again.
void StandardBook::add(StandardKind kind, std::span<const uint8_t> data) {
  if (data.empty() || holds(kind, data)) return;
  base::Guard guard(lock_);
  pages_.push_back({kind, {data.begin(), data.end()}});
}

bool StandardBook::holds(StandardKind kind, std::span<const uint8_t> data) const {
  base::Guard guard(lock_);
  return std::any_of(pages_.begin(), pages_.end(), [&](const Page& page) {
    return page.kind == kind && std::equal(page.data.begin(), page.data.end(), data.begin(), data.end());
  });
}

// One allocation by itself, as the system makes it; what a driver thinks of several in a resource is its own affair,
// and what else it may lack says nothing of the data.
void StandardBook::judge_refusal(Adapter& adapter, const CreateRequest& request, NTSTATUS status) const {
  if (status != STATUS_INVALID_PARAMETER && status != STATUS_GRAPHICS_DRIVER_MISMATCH) return;
  if (request.allocations.size() != 1 || request.flags.CreateResource) return;
  if (!holds(StandardKind::Staging, request.allocations[0].private_data)) return;
  adapter.machine().broke(
      nt::Broke::StandardDataRefused,
      fmt::format("DxgkDdiCreateAllocation answered 0x{:08X} to the {} byte(s) of private data that "
                  "DxgkDdiGetStandardAllocationDriverData wrote for a D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE surface",
                  static_cast<uint32_t>(status), request.allocations[0].private_data.size()));
}

void StandardBook::judge_visibility(Adapter& adapter, const CreateRequest& request,
                                    std::span<const DXGK_ALLOCATIONINFO> infos) const {
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].Flags.CpuVisible || !holds(StandardKind::Staging, request.allocations[i].private_data)) continue;
    adapter.machine().broke(nt::Broke::StandardInvisible,
                            fmt::format("DxgkDdiCreateAllocation left CpuVisible clear in allocation {}, which is a "
                                        "surface of type D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE",
                                        i));
    return;
  }
}

}  // namespace dxgk

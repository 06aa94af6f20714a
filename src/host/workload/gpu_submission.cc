#include "host/workload/gpu_submission.h"

#include <algorithm>

namespace host {

GpuSubmission::GpuSubmission(BuiltCommands built, const GpuCommands& from, bool patched)
    : commands(std::move(built.bytes)),
      private_data(std::move(built.private_data)),
      command_bytes(static_cast<uint32_t>(commands.size())) {
  if (!patched) return;
  for (const auto& [place, work] : built.references) {
    const GpuCommands::Item& item = from.items()[work];
    D3DDDI_PATCHLOCATIONLIST patch{};
    patch.AllocationIndex = list(place.operand == DRYDOCK_OPERAND_TO ? item.to : item.from, place.written != 0);
    patch.SlotId = place.slot_id;
    patch.DriverId = place.driver_id;
    patch.AllocationOffset = static_cast<UINT>(place.offset);
    patch.PatchOffset = place.at;
    patches.push_back(patch);
  }
}

UINT GpuSubmission::list(D3DKMT_HANDLE allocation, bool written) {
  auto known = std::ranges::find(allocations, allocation, &D3DDDI_ALLOCATIONLIST::hAllocation);
  if (known == allocations.end()) known = allocations.insert(known, {allocation, {}});
  known->WriteOperation |= written;
  return static_cast<UINT>(known - allocations.begin());
}

}  // namespace host

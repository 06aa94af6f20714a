#pragma once

#include <cstdint>
#include <vector>

#include "abi/shared/d3dkmthk.h"
#include "host/workload/gpu_commands.h"
#include "host/workload/workload_client.h"

namespace host {

// What a client hands to D3DKMTSubmitCommand or D3DKMTRender. Plain data: a hostile client changes it.
struct GpuSubmission {
  GpuSubmission() = default;
  // Commands that a workload has built from these pieces of work. Lists are made where the driver patches.
  GpuSubmission(BuiltCommands built, const GpuCommands& from, bool patched);

  std::vector<uint8_t> commands;
  std::vector<D3DDDI_ALLOCATIONLIST> allocations;  // each once
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches;
  std::vector<uint8_t> private_data;
  uint32_t command_bytes = 0;  // as the client says

 private:
  UINT list(D3DKMT_HANDLE allocation, bool written);
};

}  // namespace host

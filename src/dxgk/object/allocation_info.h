#pragma once

#include <span>

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/adapter/adapter_caps.h"
#include "dxgk/object/create.h"

namespace dxgk {

class Adapter;

// What a driver wrote into the union of Alignment and two page sizes, in bytes. The pages do not say which of them
// counts when. A WDDM 2.0 driver that fills both halves, each with a power of two, means page sizes: no alignment looks
// like that. They count in pages of 4 KiB (ours: the pages name no unit).
uint64_t alignment_of(uint32_t value, const AdapterCaps& caps);

// How the allocations were asked for.
struct RequestedAllocations {
  bool shared = false;
  bool cross_adapter = false;
  bool distrusted = false;  // by a client that changes its private data on purpose
  std::span<const AllocationRequest> allocations;  // as many as the driver answered for
};

// Compares what DxgkDdiCreateAllocation answered with what the documents ask of it (CA-01 … CA-20, AL01, AL02). Each
// broken rule is a finding; a failure means that Windows refuses the allocation too, or could not go on with it.
base::Result<> judge_allocation_infos(Adapter& adapter, std::span<const DXGK_ALLOCATIONINFO> infos,
                                      const RequestedAllocations& requested);

}  // namespace dxgk

#pragma once

#include <span>

#include "abi/km/d3dkmddi.h"
#include "base/result.h"
#include "dxgk/create.h"

namespace dxgk {

class Adapter;

// How the allocations were asked for.
struct AllocationWish {
  bool shared = false;
  bool cross_adapter = false;
  std::span<const AllocationRequest> allocations;  // as many as the driver answered for
};

// What DxgkDdiCreateAllocation answered, against what the documents ask of it (CA-01 … CA-20, AL01, AL02). Each broken
// rule is told; a failure means that Windows refuses the allocation too, or could not go on with it.
base::Result<> judge_allocation_infos(Adapter& adapter, std::span<const DXGK_ALLOCATIONINFO> infos,
                                      const AllocationWish& wish);

}  // namespace dxgk

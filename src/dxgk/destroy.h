#pragma once

#include <span>

#include "abi/shared/d3dkmthk.h"
#include "base/result.h"
#include "dxgk/destruction.h"

namespace dxgk {

// What D3DKMTDestroyAllocation2 does. The handles are dead when these return; what hangs on them may take longer,
// unless `synchronous`. All or nothing: a refused call has changed nothing. Outside of every gate.
struct DestroyCall {
  bool assume_not_in_use = false;
  bool synchronous = false;
};

// The resource and every allocation of it.
base::Result<> destroy_resource(Device& device, D3DKMT_HANDLE resource, DestroyCall call);
// Allocations without a resource, or some of one resource, which stays (KD-12).
base::Result<> destroy_allocations(Device& device, std::span<const D3DKMT_HANDLE> handles, DestroyCall call);

}  // namespace dxgk

#pragma once

#include <span>

#include "abi/shared/d3dkmthk.h"
#include "dxgk/destroy/destruction.h"
#include "dxgk/object/judgement.h"

namespace dxgk {

// What D3DKMTDestroyAllocation2 does. The handles are closed when these return; the destruction itself may take longer,
// unless `synchronous`. All or nothing: a refused call has changed nothing. With no mutex held.
struct DestroyCall {
  bool assume_not_in_use = false;
  bool synchronous = false;
};

// The resource and every allocation of it.
[[nodiscard]] Judgement destroy_resource(Device& device, D3DKMT_HANDLE resource, DestroyCall call);
// Allocations without a resource, or some of one resource, which stays (KD-12).
[[nodiscard]] Judgement destroy_allocations(Device& device, std::span<const D3DKMT_HANDLE> handles, DestroyCall call);

}  // namespace dxgk

#pragma once

#include "abi/shared/d3dkmthk.h"
#include "dxgk/adapter_caps.h"

namespace kmt {

// An adapter's memory as clients are told of it.
struct MemoryGroups {
  uint64_t local = 0;      // segments of the adapter's own memory
  uint64_t non_local = 0;  // what its apertures can show of the system's
};
MemoryGroups memory_groups(const dxgk::AdapterCaps& caps);

// The answer of D3DKMTQueryVideoMemoryInfo for a process that has `used` bytes of allocations. All memory is offered to
// everybody, half of it for reservation (policy). Until residency is known, everything a process has counts where its
// adapter would rather have it: local if there is local memory.
struct MemoryBudget {
  uint64_t budget = 0;
  uint64_t usage = 0;
  uint64_t available_for_reservation = 0;
};
MemoryBudget memory_budget(const MemoryGroups& groups, D3DKMT_MEMORY_SEGMENT_GROUP group, uint64_t used);

}  // namespace kmt

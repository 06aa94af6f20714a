#pragma once

#include "umd/child.h"
#include "umd/resource_desc10.h"

namespace umd {

// What the runtime of Direct3D 10 and 11 keeps about a resource besides what every runtime does. Owned by the
// resource's device, from the creation until DestroyResource returns; guarded by the runtime's lock but for what never
// changes.
struct Resource10 {
  ResourceDesc10 desc;  // of one that was opened: what the program said
  PrivateBlock memory;
  uint32_t bound = 0;  // how often it is bound itself, not by a view
  Child* views = nullptr;
};

inline Resource10* more(const Resource* resource) { return static_cast<Resource10*>(resource->more); }

}  // namespace umd

#pragma once

#include "umd/d3d10/device10_object.h"
#include "umd/d3d10/resource_desc10.h"

namespace umd {

// What the runtime of Direct3D 10 and 11 keeps about a resource in addition to umd::Resource. Owned by the resource's
// device, from the creation until DestroyResource returns; guarded by the runtime's lock but for what never changes.
struct Resource10 {
  ResourceDesc10 desc;  // of one that was opened: what the program said
  PrivateBlock memory;
  uint32_t bound = 0;  // how often it is bound itself, not by a view
  Device10Objects views;
};

inline Resource10* more(const Resource* resource) { return static_cast<Resource10*>(resource->more); }

}  // namespace umd

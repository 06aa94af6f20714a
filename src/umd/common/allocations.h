#pragma once

#include <vector>

#include "umd/common/resource.h"

namespace umd {

// The allocations of a device by their kernel handle; a dead one stays until its slot is used again. Owned by the
// device; guarded by the runtime's lock. A look-up is an index.
class Allocations {
 public:
  Allocation& add(D3DKMT_HANDLE handle, Resource* resource);
  void remove(Allocation& allocation);
  void remove_all(Resource& resource);

  // --- Memory in the name of no resource ---
  // The allocation was made while this resource was created.
  void add_unnamed(Allocation& allocation, Resource& resource, base::StackId here);
  // It does not hold the resource, though it was made with it.
  void drop_unnamed(Allocation& allocation);
  // From now on the driver may have other memory for the resource.
  void forget_unnamed(Resource& resource);
  // The resource is destroyed, and its memory still there.
  void outlive(Resource& resource);

  // The live one. Null: never was one of this device's, or is dead.
  Allocation* find(D3DKMT_HANDLE handle);
  // Whether the handle is known as one that has been deallocated.
  bool dead(D3DKMT_HANDLE handle) const;

  size_t live() const { return live_; }

 private:
  Allocation* at(D3DKMT_HANDLE handle);
  D3DKMT_HANDLE& head(Resource* resource) { return resource ? resource->first_allocation : own_; }

  std::vector<Allocation> rows_;  // by the index in the handle
  D3DKMT_HANDLE own_ = 0;
  size_t live_ = 0;
};

}  // namespace umd

#include "umd/common/allocations.h"

#include "base/check.h"

namespace umd {
namespace {

// A D3DKMT handle has its place in its table in bits 6 to 29.
size_t index_of(D3DKMT_HANDLE handle) { return handle >> 6 & 0xFFFFFF; }

}  // namespace

Allocation* Allocations::at(D3DKMT_HANDLE handle) {
  size_t index = index_of(handle);
  return index < rows_.size() && rows_[index].handle == handle ? &rows_[index] : nullptr;
}

Allocation* Allocations::find(D3DKMT_HANDLE handle) {
  Allocation* found = handle ? at(handle) : nullptr;
  return found && found->live ? found : nullptr;
}

bool Allocations::dead(D3DKMT_HANDLE handle) const {
  size_t index = index_of(handle);
  return handle && index < rows_.size() && rows_[index].handle == handle && !rows_[index].live;
}

Allocation& Allocations::add(D3DKMT_HANDLE handle, Resource* resource) {
  size_t index = index_of(handle);
  if (index >= rows_.size()) rows_.resize(index + 1);
  Allocation& row = rows_[index];
  CHECK(!row.live);
  row = {.handle = handle, .live = true, .resource = resource, .of_resource = resource != nullptr};
  D3DKMT_HANDLE& first = head(resource);
  if (Allocation* second = find(first)) second->prev = handle;
  row.next = first;
  first = handle;
  if (resource) ++resource->allocations;
  ++live_;
  return row;
}

void Allocations::remove(Allocation& allocation) {
  CHECK(allocation.live);
  if (Allocation* before = find(allocation.prev)) {
    before->next = allocation.next;
  } else {
    head(allocation.resource) = allocation.next;
  }
  if (Allocation* after = find(allocation.next)) after->prev = allocation.prev;
  if (allocation.resource) --allocation.resource->allocations;
  drop_unnamed(allocation);
  allocation.live = false;
  allocation.resource = nullptr;
  --live_;
}

// --- Memory in the name of no resource ---

void Allocations::add_unnamed(Allocation& allocation, Resource& resource, base::StackId here) {
  if (!resource.unnamed) {
    resource.unnamed = std::make_shared<UnnamedMemory>();
    resource.unnamed->owner = &resource;
    resource.unnamed->allocated_at = here;
  }
  allocation.unnamed = resource.unnamed;
  ++allocation.unnamed->live;
}

void Allocations::drop_unnamed(Allocation& allocation) {
  if (!allocation.unnamed) return;
  --allocation.unnamed->live;
  allocation.unnamed.reset();
}

void Allocations::forget_unnamed(Resource& resource) {
  if (!resource.unnamed) return;
  resource.unnamed->followed = false;
  resource.unnamed->owner = nullptr;
  resource.unnamed.reset();
}

void Allocations::outlive(Resource& resource) {
  if (!resource.unnamed) return;
  if (resource.associated) return forget_unnamed(resource);
  resource.unnamed->owner = nullptr;
  resource.unnamed->use = resource.use;
  resource.unnamed.reset();
}

void Allocations::remove_all(Resource& resource) {
  while (Allocation* first = find(resource.first_allocation)) remove(*first);
}

}  // namespace umd

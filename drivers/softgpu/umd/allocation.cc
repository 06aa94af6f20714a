#include "allocation.h"

#include <stdlib.h>
#include <string.h>

namespace softgpu {
namespace {

// What the CPU reads often, and what others open, stays in system memory; the rest would rather be in local memory.
uint32_t segment_for(uint32_t flags) {
  return (flags & (SOFTGPU_ALLOCATION_CACHED | SOFTGPU_ALLOCATION_SHARED)) ? 0 : SOFTGPU_SEGMENT_LOCAL;
}

HRESULT allocate_with(const Kernel& kernel, HANDLE resource, SOFTGPU_ALLOCATION* data, Allocation* const* allocations,
                      UINT count, D3DDDI_ALLOCATIONINFO* infos) {
  for (UINT i = 0; i < count; ++i) {
    infos[i].pPrivateDriverData = &data[i];
    infos[i].PrivateDriverDataSize = sizeof(data[i]);
  }
  D3DDDICB_ALLOCATE args = {};
  args.hResource = resource;
  args.NumAllocations = count;
  args.pAllocationInfo = infos;
  HRESULT result = kernel.call.pfnAllocateCb(kernel.device, &args);
  if (FAILED(result)) return result;
  for (UINT i = 0; i < count; ++i) {
    allocations[i]->handle = infos[i].hAllocation;
    allocations[i]->bytes = data[i].bytes;
    allocations[i]->next = allocations[i];
  }
  return S_OK;
}

HRESULT deallocate(const Kernel& kernel, HANDLE resource, const D3DKMT_HANDLE* handles, UINT count, InUse in_use) {
  if (!kernel.call.pfnDeallocate2Cb) {
    D3DDDICB_DEALLOCATE args = {resource, count, handles};
    return kernel.call.pfnDeallocateCb(kernel.device, &args);
  }
  D3DDDICB_DEALLOCATE2 args = {resource, count, handles, {}};
  args.Flags.AssumeNotInUse = in_use == InUse::Not;
  return kernel.call.pfnDeallocate2Cb(kernel.device, &args);
}

}  // namespace

SOFTGPU_ALLOCATION describe_buffer(uint64_t bytes, uint32_t flags) {
  return softgpu_buffer(bytes, flags, segment_for(flags));
}

SOFTGPU_ALLOCATION describe_surface(uint32_t width, uint32_t height, uint32_t pitch, uint32_t format, uint32_t flags) {
  SOFTGPU_ALLOCATION data = softgpu_buffer(static_cast<uint64_t>(pitch) * height, flags, segment_for(flags));
  data.width = width;
  data.height = height;
  data.pitch = pitch;
  data.format = format;
  return data;
}

HRESULT allocate(const Kernel& kernel, HANDLE resource, SOFTGPU_ALLOCATION* data, Allocation* const* allocations,
                 UINT count) {
  if (count <= kFewAllocations) {
    D3DDDI_ALLOCATIONINFO infos[kFewAllocations];
    memset(infos, 0, count * sizeof(infos[0]));
    return allocate_with(kernel, resource, data, allocations, count, infos);
  }
  auto* infos = static_cast<D3DDDI_ALLOCATIONINFO*>(calloc(count, sizeof(D3DDDI_ALLOCATIONINFO)));
  if (!infos) return E_OUTOFMEMORY;
  HRESULT result = allocate_with(kernel, resource, data, allocations, count, infos);
  free(infos);
  return result;
}

HRESULT deallocate_resource(const Kernel& kernel, HANDLE resource, InUse in_use) {
  return deallocate(kernel, resource, nullptr, 0, in_use);
}

HRESULT deallocate_list(const Kernel& kernel, const D3DKMT_HANDLE* handles, UINT count, InUse in_use) {
  return deallocate(kernel, nullptr, handles, count, in_use);
}

}  // namespace softgpu

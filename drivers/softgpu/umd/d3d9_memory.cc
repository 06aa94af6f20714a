// What the runtime says about memory and batches: flush, priorities, residency, offers.
#include <stdlib.h>

#include "d3d9_entry.h"
#include "virtual_context.h"

namespace softgpu {
namespace {

// Resources whose memory is the kernel's, as the runtime knows them.
struct KernelList {
  ~KernelList() { free(handles); }
  HANDLE* handles = nullptr;
  UINT count = 0;
};

HRESULT list_kernel_resources(const HANDLE* resources, UINT count, KernelList* list) {
  list->handles = static_cast<HANDLE*>(calloc(count ? count : 1, sizeof(HANDLE)));
  if (!list->handles) return E_OUTOFMEMORY;
  for (UINT i = 0; i < count; ++i) {
    const Resource& resource = *resource_of(resources[i]);
    if (resource.associated) list->handles[list->count++] = resource.runtime;
  }
  return S_OK;
}

HRESULT answer_for(D3DDDI_RESIDENCYSTATUS status) {
  switch (status) {
    case D3DDDI_RESIDENCYSTATUS_RESIDENTINGPUMEMORY:
      return S_OK;
    case D3DDDI_RESIDENCYSTATUS_RESIDENTINSHAREDMEMORY:
      return S_RESIDENT_IN_SHARED_MEMORY;
    default:
      return S_NOT_RESIDENT;
  }
}

// The worse of two; an S_OK is the best there is.
HRESULT worse_residency(HRESULT a, HRESULT b) {
  if (a == S_NOT_RESIDENT || b == S_NOT_RESIDENT) return S_NOT_RESIDENT;
  return a == S_OK ? b : a;
}

Residency& residency_of(D3d9Device& device) { return static_cast<VirtualContext&>(device.context()).residency(); }

HRESULT reclaim(D3d9Device& device, HANDLE resource, BOOL* discarded) {
  if (device.virtual_addressing()) return residency_of(device).reclaim(resource, discarded);
  const Kernel& kernel = device.kernel();
  if (!kernel.call.pfnReclaimAllocationsCb) return S_OK;
  D3DDDICB_RECLAIMALLOCATIONS args = {};
  args.pResources = &resource;
  args.pDiscarded = discarded;
  args.NumAllocations = 1;
  return kernel.call.pfnReclaimAllocationsCb(kernel.device, &args);
}

}  // namespace

// --- Batches ---

HRESULT APIENTRY flush(HANDLE hDevice) { return device_of(hDevice).flush(); }

HRESULT APIENTRY flush1(HANDLE hDevice, UINT) { return device_of(hDevice).flush(); }

// --- Memory ---

HRESULT APIENTRY set_priority(HANDLE hDevice, const D3DDDIARG_SETPRIORITY* pData) {
  const Kernel& kernel = device_of(hDevice).kernel();
  const Resource& resource = *resource_of(pData->hResource);
  if (!resource.associated || !kernel.call.pfnSetPriorityCb) return S_OK;
  D3DDDICB_SETPRIORITY args = {};
  args.hResource = resource.runtime;
  args.pPriorities = &pData->Priority;
  return kernel.call.pfnSetPriorityCb(kernel.device, &args);
}

HRESULT APIENTRY query_residency(HANDLE hDevice, const D3DDDIARG_QUERYRESOURCERESIDENCY* pData) {
  const Kernel& kernel = device_of(hDevice).kernel();
  if (!kernel.call.pfnQueryResidencyCb) return S_OK;
  HRESULT worst = S_OK;
  for (UINT i = 0; i < pData->NumResources; ++i) {
    const Resource& resource = *resource_of(pData->pHandleList[i]);
    if (!resource.associated) continue;
    D3DDDI_RESIDENCYSTATUS status = D3DDDI_RESIDENCYSTATUS_NOTRESIDENT;
    D3DDDICB_QUERYRESIDENCY args = {};
    args.hResource = resource.runtime;
    args.pResidencyStatus = &status;
    HRESULT result = kernel.call.pfnQueryResidencyCb(kernel.device, &args);
    if (FAILED(result)) return result;
    worst = worse_residency(worst, answer_for(status));
  }
  return worst;
}

// Commands that use what is offered have to be on their way first.
HRESULT APIENTRY offer_resources(HANDLE hDevice, const D3DDDIARG_OFFERRESOURCES* pData) {
  D3d9Device& device = device_of(hDevice);
  const Kernel& kernel = device.kernel();
  if (!kernel.call.pfnOfferAllocationsCb) return S_OK;
  KernelList list;
  HRESULT result = list_kernel_resources(pData->pResources, pData->Resources, &list);
  if (FAILED(result) || list.count == 0) return result;
  result = device.flush();
  if (FAILED(result)) return result;
  D3DDDICB_OFFERALLOCATIONS args = {};
  args.pResources = list.handles;
  args.NumAllocations = list.count;
  args.Priority = pData->Priority;
  return kernel.call.pfnOfferAllocationsCb(kernel.device, &args);
}

// One by one, so that each has its own answer.
HRESULT APIENTRY reclaim_resources(HANDLE hDevice, const D3DDDIARG_RECLAIMRESOURCES* pData) {
  D3d9Device& device = device_of(hDevice);
  for (UINT i = 0; i < pData->Resources; ++i) {
    const Resource& resource = *resource_of(pData->pResources[i]);
    BOOL discarded = FALSE;
    HRESULT result = resource.associated ? reclaim(device, resource.runtime, &discarded) : S_OK;
    if (FAILED(result)) return result;
    if (pData->pDiscarded) pData->pDiscarded[i] = discarded;
  }
  return S_OK;
}

// A hint that contents are not needed, which saves nothing here.
HRESULT APIENTRY discard(HANDLE, const D3DDDIARG_DISCARD*) { return S_OK; }

HRESULT APIENTRY trim_residency_set(HANDLE hDevice, D3DDDIARG_TRIMRESIDENCYSET* pData) {
  D3d9Device& device = device_of(hDevice);
  if (!device.virtual_addressing()) return S_OK;
  HRESULT result = residency_of(device).trim(device.context(), pData->NumBytesToTrim);
  return FAILED(result) ? result : S_OK;
}

}  // namespace softgpu

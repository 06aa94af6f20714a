#include "residency.h"

#include "context.h"

namespace softgpu {

HRESULT Residency::create() {
  D3DDDICB_CREATEPAGINGQUEUE args = {};
  HRESULT result = kernel_.call.pfnCreatePagingQueueCb(kernel_.device, &args);
  if (FAILED(result)) return result;
  queue_ = args.hPagingQueue;
  fence_ = args.hSyncObject;
  reached_ = static_cast<const volatile uint64_t*>(args.FenceValueCPUVirtualAddress);
  return S_OK;
}

HRESULT Residency::destroy() {
  if (!queue_) return S_OK;
  D3DDDI_DESTROYPAGINGQUEUE args = {queue_};
  queue_ = 0;
  reached_ = nullptr;
  return insist([&] { return kernel_.call.pfnDestroyPagingQueueCb(kernel_.device, &args); });
}

uint64_t Residency::paging() const { return reached_ && *reached_ < wanted_ ? wanted_ : 0; }

// --- One allocation ---

HRESULT Residency::prepare(Context& context, Allocation& allocation) {
  if (!allocation.address) {
    HRESULT result = map(allocation);
    if (FAILED(result)) return result;
  }
  if (!allocation.resident) return make_resident(context, allocation);
  if (newest_ != &allocation) {
    unlink(allocation);
    append(allocation);
  }
  return S_OK;
}

HRESULT Residency::map(Allocation& allocation) {
  D3DDDI_MAPGPUVIRTUALADDRESS args = {};
  args.hPagingQueue = queue_;
  args.hAllocation = allocation.handle;
  args.SizeInPages = (allocation.bytes + SOFTGPU_PAGE_BYTES - 1) / SOFTGPU_PAGE_BYTES;
  args.Protection.Write = 1;
  args.Protection.Execute = 1;
  HRESULT result = kernel_.call.pfnMapGpuVirtualAddressCb(kernel_.device, &args);
  if (FAILED(result) && result != E_PENDING) return result;
  if (result == E_PENDING) pending(args.PagingFenceValue);
  allocation.address = args.VirtualAddress;
  return S_OK;
}

// The budget may shrink between two attempts, so that room is made until there is nothing left to give up.
HRESULT Residency::make_resident(Context& context, Allocation& allocation) {
  uint64_t bytes_to_trim = 0;
  HRESULT result = request(allocation, false, &bytes_to_trim);
  while (result == E_OUTOFMEMORY && trim(context, bytes_to_trim) == S_OK) {
    result = request(allocation, false, &bytes_to_trim);
  }
  if (result == E_OUTOFMEMORY) result = request(allocation, true, &bytes_to_trim);
  if (FAILED(result)) return result;
  allocation.resident = true;
  append(allocation);
  return S_OK;
}

HRESULT Residency::request(Allocation& allocation, bool cannot_trim, uint64_t* bytes_to_trim) {
  D3DDDI_MAKERESIDENT args = {};
  args.hPagingQueue = queue_;
  args.NumAllocations = 1;
  args.AllocationList = &allocation.handle;
  args.Flags.CantTrimFurther = cannot_trim;
  HRESULT result = kernel_.call.pfnMakeResidentCb(kernel_.device, &args);
  if (result == E_PENDING) {
    pending(args.PagingFenceValue);
    return S_OK;
  }
  *bytes_to_trim = args.NumBytesToTrim;
  return result;
}

// --- Giving up room ---

// S_FALSE: there is nothing to give up. The GPU is done with what goes.
HRESULT Residency::trim(Context& context, uint64_t bytes) {
  uint64_t trimmed = 0;
  for (Allocation* candidate = oldest_; candidate && (trimmed == 0 || trimmed < bytes);) {
    Allocation& allocation = *candidate;
    candidate = allocation.newer;
    if (allocation.last_use == context.batch()) continue;
    HRESULT result = context.wait(allocation.last_use);
    if (SUCCEEDED(result)) result = evict(allocation);
    if (FAILED(result)) return result;
    trimmed += allocation.bytes;
  }
  return trimmed ? S_OK : S_FALSE;
}

HRESULT Residency::evict(Allocation& allocation) {
  D3DDDICB_EVICT args = {};
  args.NumAllocations = 1;
  args.AllocationList = &allocation.handle;
  HRESULT result = kernel_.call.pfnEvictCb(kernel_.device, &args);
  if (FAILED(result)) return result;
  forget(allocation);
  return S_OK;
}

HRESULT Residency::reclaim(HANDLE resource, BOOL* discarded) {
  D3DDDICB_RECLAIMALLOCATIONS2 args = {};
  args.PagingQueue = queue_;
  args.NumAllocations = 1;
  args.pResources = &resource;
  args.pDiscarded = discarded;
  HRESULT result = kernel_.call.pfnReclaimAllocations2Cb(kernel_.device, &args);
  if (FAILED(result) && result != E_PENDING) return result;
  pending(args.PagingFenceValue);
  return S_OK;
}

// --- The list ---

void Residency::forget(Allocation& allocation) {
  if (!allocation.resident) return;
  unlink(allocation);
  allocation.resident = false;
}

void Residency::append(Allocation& allocation) {
  allocation.older = newest_;
  allocation.newer = nullptr;
  (newest_ ? newest_->newer : oldest_) = &allocation;
  newest_ = &allocation;
}

void Residency::unlink(Allocation& allocation) {
  (allocation.newer ? allocation.newer->older : newest_) = allocation.older;
  (allocation.older ? allocation.older->newer : oldest_) = allocation.newer;
  allocation.newer = allocation.older = nullptr;
}

}  // namespace softgpu

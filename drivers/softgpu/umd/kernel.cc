#include "kernel.h"

#include <stddef.h>
#include <string.h>

namespace softgpu {
namespace {

bool has_patching(const D3DDDI_DEVICECALLBACKS& call) {
  return call.pfnCreateContextCb && call.pfnRenderCb && call.pfnLockCb && call.pfnUnlockCb;
}

bool has_addresses(const D3DDDI_DEVICECALLBACKS& call) {
  return call.pfnCreateContextVirtualCb && call.pfnSubmitCommandCb && call.pfnCreatePagingQueueCb &&
         call.pfnDestroyPagingQueueCb && call.pfnMakeResidentCb && call.pfnEvictCb && call.pfnMapGpuVirtualAddressCb &&
         call.pfnCreateSynchronizationObject2Cb && call.pfnDestroySynchronizationObjectCb &&
         call.pfnWaitForSynchronizationObjectFromCpuCb && call.pfnWaitForSynchronizationObjectFromGpuCb &&
         call.pfnLock2Cb && call.pfnUnlock2Cb && call.pfnDeallocate2Cb && call.pfnReclaimAllocations2Cb;
}

// A runtime's table is as long as its version says: no more of it may be read.
size_t table_bytes(UINT version) {
  if (version >= D3D_UMD_INTERFACE_VERSION_WDDM2_0) {
    return offsetof(D3DDDI_DEVICECALLBACKS, pfnUpdateAllocationPropertyCb);
  }
  if (version >= D3D_UMD_INTERFACE_VERSION_WIN8) return offsetof(D3DDDI_DEVICECALLBACKS, pfnLogUMDMarkerCb);
  return offsetof(D3DDDI_DEVICECALLBACKS, pfnOfferAllocationsCb);
}

}  // namespace

HRESULT Kernel::open(HANDLE runtime_device, const D3DDDI_DEVICECALLBACKS& callbacks, UINT version,
                     bool virtual_addressing) {
  device = runtime_device;
  memcpy(&call, &callbacks, table_bytes(version));
  // Residency and synchronisation are the kernel's business where commands are patched.
  if (!virtual_addressing) call.pfnDeallocate2Cb = nullptr;
  if (!call.pfnAllocateCb || !call.pfnDeallocateCb || !call.pfnDestroyContextCb) return E_NOINTERFACE;
  return (virtual_addressing ? has_addresses(call) : has_patching(call)) ? S_OK : E_NOINTERFACE;
}

}  // namespace softgpu

// Wants more memory for a shared resource when it flushes.
// FIXED has enough.
#include "on_softgpu_d3d11.h"
#include "softgpu_user.h"

static BOOL Sharing;
static HANDLE Shared, RuntimeDevice;  // while a shared resource lives
static SOFTGPU_ALLOCATION Memory;     // what it has

static HRESULT APIENTRY AllocateAndRemember(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HRESULT Result = Runtime.pfnAllocateCb(Device, Args);
  if (SUCCEEDED(Result) && Sharing) {
    RuntimeDevice = Device;
    Shared = Args->hResource;
    memcpy(&Memory, Args->pAllocationInfo[0].pPrivateDriverData, sizeof(Memory));
  }
  return Result;
}

static VOID APIENTRY CreateResource(D3D10DDI_HDEVICE Device, const D3D11DDIARG_CREATERESOURCE* Args,
                                    D3D10DDI_HRESOURCE Resource, D3D10DDI_HRTRESOURCE Handle) {
  Sharing = (Args->MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED) != 0;
  Good.pfnCreateResource(Device, Args, Resource, Handle);
  Sharing = FALSE;
}

static VOID APIENTRY DestroyResource(D3D10DDI_HDEVICE Device, D3D10DDI_HRESOURCE Resource) {
  Shared = NULL;
  Good.pfnDestroyResource(Device, Resource);
}

static VOID APIENTRY FlushAndAllocate(D3D10DDI_HDEVICE Device) {
  Good.pfnFlush(Device);
#ifndef FIXED
  if (Shared != NULL) {
    D3DDDI_ALLOCATIONINFO Info = {.pPrivateDriverData = &Memory, .PrivateDriverDataSize = sizeof(Memory)};
    D3DDDICB_ALLOCATE More = {.hResource = Shared, .NumAllocations = 1, .pAllocationInfo = &Info};
    Runtime.pfnAllocateCb(RuntimeDevice, &More);
  }
#endif
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
  Table->pfnCreateResource = CreateResource;
  Table->pfnDestroyResource = DestroyResource;
  Table->pfnFlush = FlushAndAllocate;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {
  Table->pfnAllocateCb = AllocateAndRemember;
}

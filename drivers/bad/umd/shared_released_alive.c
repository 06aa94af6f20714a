// Releases the memory of a shared resource when the next resource is created, although it has not been destroyed.
// FIXED releases it when it is.
#include "on_softgpu_d3d9.h"

#define MOST 64

static struct {
  HANDLE Resource;
  HANDLE RuntimeDevice;
  HANDLE Device;
  BOOL Gone;
} Known[MOST];
static HANDLE Creating;
static HANDLE CreatingDevice;

#ifndef FIXED
static VOID ReleaseKnown(HANDLE Device) {
  for (UINT i = 0; i < MOST; ++i) {
    D3DDDICB_DEALLOCATE2 Release = {.hResource = Known[i].Resource};
    if (Known[i].Resource == NULL || Known[i].Device != Device || Known[i].Gone) continue;
    Known[i].Gone = SUCCEEDED(Runtime.pfnDeallocate2Cb(Known[i].RuntimeDevice, &Release));
  }
}
#endif

static HRESULT APIENTRY CreateAndKnow(HANDLE Device, D3DDDIARG_CREATERESOURCE2* Args) {
  HRESULT Result;
#ifndef FIXED
  ReleaseKnown(Device);
#endif
  Creating = Args->Flags.SharedResource ? Args->hResource : NULL;
  CreatingDevice = Device;
  Result = Good.pfnCreateResource2(Device, Args);
  Creating = NULL;
  return Result;
}

static HRESULT APIENTRY AllocateAndKnow(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  HRESULT Result = Runtime.pfnAllocateCb(Device, Args);
  if (FAILED(Result) || Creating == NULL || Args->hResource != Creating) return Result;
  for (UINT i = 0; i < MOST; ++i) {
    if (Known[i].Resource != NULL) continue;
    Known[i].Resource = Creating;
    Known[i].RuntimeDevice = Device;
    Known[i].Device = CreatingDevice;
    Known[i].Gone = FALSE;
    break;
  }
  return Result;
}

static HRESULT APIENTRY DeallocateOnce(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  for (UINT i = 0; i < MOST && Args->hResource != NULL; ++i) {
    if (Known[i].Resource != Args->hResource) continue;
    Known[i].Resource = NULL;
    return Known[i].Gone ? S_OK : Runtime.pfnDeallocate2Cb(Device, Args);
  }
  return Runtime.pfnDeallocate2Cb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateAndKnow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnAllocateCb = AllocateAndKnow;
  Table->pfnDeallocate2Cb = DeallocateOnce;
}

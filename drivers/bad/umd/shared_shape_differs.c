// Has another allocation for the shared resources of the second device, and none for those of the first.
// FIXED has none for either.
#include "sharing.h"
#include "softgpu_user.h"

static HANDLE FirstDevice;

static HRESULT APIENTRY AllocateMoreOrLess(HANDLE Device, D3DDDICB_ALLOCATE* Args) {
  D3DDDI_ALLOCATIONINFO Infos[2];
  SOFTGPU_ALLOCATION Data = softgpu_buffer(4096, SOFTGPU_ALLOCATION_SHARED, 0);
  D3DDDICB_ALLOCATE More = *Args;
  HRESULT Result;
  if (FirstDevice == NULL) FirstDevice = LastDevice;
#ifdef FIXED
  return Runtime.pfnAllocateCb(Device, Args);
#endif
  if (!Sharing || Device == FirstDevice || Args->NumAllocations != 1) return Runtime.pfnAllocateCb(Device, Args);
  Infos[0] = Infos[1] = Args->pAllocationInfo[0];
  Infos[1].pPrivateDriverData = &Data;
  Infos[1].PrivateDriverDataSize = sizeof(Data);
  More.pAllocationInfo = Infos;
  More.NumAllocations = 2;
  Result = Runtime.pfnAllocateCb(Device, &More);
  Args->hKMResource = More.hKMResource;
  Args->pAllocationInfo[0] = Infos[0];
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnCreateResource2 = CreateAndKnow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnAllocateCb = AllocateMoreOrLess; }

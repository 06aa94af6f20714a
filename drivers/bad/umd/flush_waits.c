// Waits in Flush until the GPU is done with everything, and releases what was destroyed.
// FIXED does not wait.
#include "on_softgpu_d3d11.h"

static HANDLE RuntimeDevice;
static D3DKMT_HANDLE Fence;  // has the number of the last batch that is done
static UINT64 Batches;

static HRESULT APIENTRY CreateFence(HANDLE Device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT2* Args) {
  HRESULT Result = Runtime.pfnCreateSynchronizationObject2Cb(Device, Args);
  if (SUCCEEDED(Result)) RuntimeDevice = Device, Fence = Args->hSyncObject, Batches = 0;
  return Result;
}

static HRESULT APIENTRY SubmitAndCount(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  HRESULT Result = Runtime.pfnSubmitCommandCb(Device, Args);
  if (SUCCEEDED(Result)) ++Batches;
  return Result;
}

static VOID APIENTRY FlushAndWait(D3D10DDI_HDEVICE Device) {
#ifndef FIXED
  D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU Wait = {
      .ObjectCount = 1, .ObjectHandleArray = &Fence, .FenceValueArray = &Batches};
  Runtime.pfnWaitForSynchronizationObjectFromCpuCb(RuntimeDevice, &Wait);
#endif
  Good.pfnFlush(Device);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnFlush = FlushAndWait; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {
  Table->pfnCreateSynchronizationObject2Cb = CreateFence;
  Table->pfnSubmitCommandCb = SubmitAndCount;
}

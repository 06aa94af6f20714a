// Keeps two batches under way: Flush waits for the one before. Nothing that was destroyed is waited for.
#include "on_softgpu_d3d11.h"

#define UNDER_WAY 2

static HANDLE RuntimeDevice;  // the last that was created: others are not slowed down
static D3DKMT_HANDLE Fence;   // has the number of the last batch that is done
static UINT64 Batches;

static HRESULT APIENTRY CreateFence(HANDLE Device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT2* Args) {
  HRESULT Result = Runtime.pfnCreateSynchronizationObject2Cb(Device, Args);
  if (SUCCEEDED(Result)) RuntimeDevice = Device, Fence = Args->hSyncObject, Batches = 0;
  return Result;
}

static HRESULT APIENTRY SubmitAndCount(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  HRESULT Result = Runtime.pfnSubmitCommandCb(Device, Args);
  if (SUCCEEDED(Result) && Device == RuntimeDevice) ++Batches;
  return Result;
}

static VOID APIENTRY FlushAndThrottle(D3D10DDI_HDEVICE Device) {
  UINT64 Before = Batches;
  Good.pfnFlush(Device);
  if (Batches == Before || Batches <= UNDER_WAY) return;
  UINT64 Value = Batches - UNDER_WAY;
  D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU Wait = {
      .ObjectCount = 1, .ObjectHandleArray = &Fence, .FenceValueArray = &Value};
  Runtime.pfnWaitForSynchronizationObjectFromCpuCb(RuntimeDevice, &Wait);
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnFlush = FlushAndThrottle; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {
  UNREFERENCED_PARAMETER(CoreTable);
  Table->pfnCreateSynchronizationObject2Cb = CreateFence;
  Table->pfnSubmitCommandCb = SubmitAndCount;
}

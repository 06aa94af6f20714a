// Makes the GPU wait for something that is done already, on whichever thread creates a resource; who flushes meanwhile
// tries until it gets through.
// FIXED leaves the context to the thread that flushes.
#include "on_softgpu_d3d11.h"

static HANDLE RuntimeDevice, Context;
static D3DKMT_HANDLE Fence;

static HRESULT APIENTRY CreateContext(HANDLE Device, D3DDDICB_CREATECONTEXTVIRTUAL* Args) {
  HRESULT Result = Runtime.pfnCreateContextVirtualCb(Device, Args);
  if (SUCCEEDED(Result)) RuntimeDevice = Device, Context = Args->hContext;
  return Result;
}

static HRESULT APIENTRY CreateFence(HANDLE Device, D3DDDICB_CREATESYNCHRONIZATIONOBJECT2* Args) {
  HRESULT Result = Runtime.pfnCreateSynchronizationObject2Cb(Device, Args);
  if (SUCCEEDED(Result)) Fence = Args->hSyncObject;
  return Result;
}

static HRESULT APIENTRY SubmitInTheEnd(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  HRESULT Result;
  do Result = Runtime.pfnSubmitCommandCb(Device, Args);
  while (Result == E_INVALIDARG);
  return Result;
}

static HRESULT APIENTRY WaitInTheEnd(HANDLE Device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* Args) {
  HRESULT Result;
  do Result = Runtime.pfnWaitForSynchronizationObjectFromGpuCb(Device, Args);
  while (Result == E_INVALIDARG);
  return Result;
}

static VOID APIENTRY CreateAndWait(D3D10DDI_HDEVICE Device, const D3D11DDIARG_CREATERESOURCE* Args,
                                   D3D10DDI_HRESOURCE Resource, D3D10DDI_HRTRESOURCE Handle) {
  Good.pfnCreateResource(Device, Args, Resource, Handle);
#ifndef FIXED
  UINT64 Nothing = 0;
  D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU Wait = {
      .hContext = Context, .ObjectCount = 1, .ObjectHandleArray = &Fence, .MonitoredFenceValueArray = &Nothing};
  Runtime.pfnWaitForSynchronizationObjectFromGpuCb(RuntimeDevice, &Wait);
#endif
}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) { Table->pfnCreateResource = CreateAndWait; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {
  Table->pfnCreateContextVirtualCb = CreateContext;
  Table->pfnCreateSynchronizationObject2Cb = CreateFence;
  Table->pfnSubmitCommandCb = SubmitInTheEnd;
  Table->pfnWaitForSynchronizationObjectFromGpuCb = WaitInTheEnd;
}

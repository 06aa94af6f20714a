// Deallocates a resource at once, and drops the draws that use it: it submits their fence alone, to a context of the
// copy engine.
// FIXED submits the draws to their own context first.
#include "on_softgpu_d3d9.h"
#include "softgpu_cmd.h"
#include "softgpu_regs.h"

// Of the device that was created last.
static HANDLE Owner;
static HANDLE CopyContext;
static D3DKMT_HANDLE Order;  // the fence by which the two contexts take turns
static UINT64 Turn;
static BOOL Destroying;

static HRESULT APIENTRY CreateContexts(HANDLE Device, D3DDDICB_CREATECONTEXTVIRTUAL* Args) {
  D3DDDICB_CREATECONTEXTVIRTUAL Copy = {.NodeOrdinal = SOFTGPU_ENGINE_COPY, .EngineAffinity = 1};
  D3DDDICB_CREATESYNCHRONIZATIONOBJECT2 Fence = {.Info.Type = D3DDDI_MONITORED_FENCE};
  HRESULT Result = Runtime.pfnCreateSynchronizationObject2Cb(Device, &Fence);
  if (FAILED(Result)) return Result;
  Result = Runtime.pfnCreateContextVirtualCb(Device, &Copy);
  if (FAILED(Result)) return Result;
  Owner = Device;
  CopyContext = Copy.hContext;
  Order = Fence.hSyncObject;
  Turn = 0;
  return Runtime.pfnCreateContextVirtualCb(Device, Args);
}

// What is submitted to After from now on waits for what was submitted to Before.
static HRESULT TakeTurns(HANDLE Before, HANDLE After) {
  UINT64 Value = Turn + 1;
  D3DDDICB_SIGNALSYNCHRONIZATIONOBJECTFROMGPU Signal = {
      .hContext = Before, .ObjectCount = 1, .ObjectHandleArray = &Order, .MonitoredFenceValueArray = &Value};
  D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMGPU Wait = {
      .hContext = After, .ObjectCount = 1, .ObjectHandleArray = &Order, .MonitoredFenceValueArray = &Value};
  HRESULT Result = Runtime.pfnSignalSynchronizationObjectFromGpuCb(Owner, &Signal);
  if (FAILED(Result)) return Result;
  Turn = Value;
  return Runtime.pfnWaitForSynchronizationObjectFromGpuCb(Owner, &Wait);
}

static HRESULT APIENTRY SubmitFenceApart(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  D3DDDICB_SUBMITCOMMAND Draws = *Args, Fence = *Args;
  HRESULT Result = S_OK;
  if (!Destroying || Device != Owner) return Runtime.pfnSubmitCommandCb(Device, Args);
  Draws.CommandLength -= sizeof(SOFTGPU_SIGNAL);
  Fence.Commands += Draws.CommandLength;
  Fence.CommandLength = sizeof(SOFTGPU_SIGNAL);
#ifdef FIXED
  Result = Runtime.pfnSubmitCommandCb(Device, &Draws);
  if (FAILED(Result)) return Result;
#endif
  Result = TakeTurns(Args->BroadcastContext[0], CopyContext);
  if (SUCCEEDED(Result)) Fence.BroadcastContext[0] = CopyContext;
  Result = Runtime.pfnSubmitCommandCb(Device, &Fence);
  if (SUCCEEDED(Result)) Result = TakeTurns(CopyContext, Args->BroadcastContext[0]);
  return Result;
}

static HRESULT APIENTRY DestroyNow(HANDLE Device, HANDLE Resource) {
  HRESULT Result = Good.pfnDestroyResource(Device, Resource);
  Destroying = TRUE;
  Good.pfnFlush(Device);
  Destroying = FALSE;
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnDestroyResource = DestroyNow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  if (Table->pfnCreateContextVirtualCb == NULL) return;
  Table->pfnCreateContextVirtualCb = CreateContexts;
  Table->pfnSubmitCommandCb = SubmitFenceApart;
}

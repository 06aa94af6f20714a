// A flush in a function that may not submit: what the runtime refuses there is submitted when the immediate context
// comes by again. Until the next Flush nothing may wait for its deallocation, so FlushEarly does nothing after a
// destruction. ReplaceCallbacks and the end of Replace are here.
#pragma once

#include "on_softgpu_d3d11.h"

static BOOL Early, Destroyed;
static HANDLE RuntimeDevice;
static D3DDDICB_SUBMITCOMMAND Refused;

static VOID SubmitRefused(VOID) {
  if (Early || Refused.CommandLength == 0) return;
  Runtime.pfnSubmitCommandCb(RuntimeDevice, &Refused);
  Refused.CommandLength = 0;
  Core.pfnPerformAmortizedProcessingCb(CoreLayer);
}

static HRESULT APIENTRY Submit(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  HRESULT Result;
  SubmitRefused();
  Result = Runtime.pfnSubmitCommandCb(Device, Args);
  if (SUCCEEDED(Result) || !Early) return Result;
  RuntimeDevice = Device;
  Refused = *Args;
  return S_OK;
}

static HRESULT APIENTRY Wait(HANDLE Device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* Args) {
  SubmitRefused();
  return Runtime.pfnWaitForSynchronizationObjectFromCpuCb(Device, Args);
}

static VOID FlushEarly(D3D10DDI_HDEVICE Device) {
#ifndef FIXED
  if (Destroyed) return;
  Early = TRUE;
  Good.pfnFlush(Device);
  Early = FALSE;
#endif
}

static VOID APIENTRY Flush(D3D10DDI_HDEVICE Device) {
  SubmitRefused();
  Destroyed = FALSE;
  Good.pfnFlush(Device);
}

static VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE Device) {
  SubmitRefused();
  Good.pfnDestroyDevice(Device);
}

static VOID ReplaceFlush(D3D11DDI_DEVICEFUNCS* Table) {
  Table->pfnFlush = Flush;
  Table->pfnDestroyDevice = DestroyDevice;
}

static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {
  Table->pfnSubmitCommandCb = Submit;
  Table->pfnWaitForSynchronizationObjectFromCpuCb = Wait;
}

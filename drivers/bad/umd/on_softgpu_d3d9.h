// The good driver ../../softgpu/umd as Direct3D 9 finds it, for the wrong ones to stand on. They are linked with its
// objects, whose exports begin with Good there. Each of them includes this file and defines Replace, which changes what
// the runtime is given to call, and ReplaceCallbacks, which changes what the good driver is given to call; what stood
// there is still in Good and Runtime. A driver that gets one thing wrong gets it right when FIXED is defined.
#pragma once

#include <d3dumddi.h>
#include <string.h>

static VOID Replace(D3DDDI_DEVICEFUNCS* Table);
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table);

// The same for all devices.
static D3DDDI_ADAPTERFUNCS GoodAdapter;
static D3DDDI_DEVICEFUNCS Good;
static D3DDDI_DEVICECALLBACKS Runtime;
// The runtime's handle of the device that was created last.
static HANDLE LastDevice;

HRESULT APIENTRY GoodOpenAdapter(D3DDDIARG_OPENADAPTER* Args);
HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* Args);

static HRESULT APIENTRY CreateDevice(HANDLE Adapter, D3DDDIARG_CREATEDEVICE* Args) {
  const D3DDDI_DEVICECALLBACKS* Given = Args->pCallbacks;
  D3DDDI_DEVICECALLBACKS Changed = *Given;
  HRESULT Result;
  Runtime = *Given;
  LastDevice = Args->hDevice;
  ReplaceCallbacks(&Changed);
  Args->pCallbacks = &Changed;  // the good driver keeps a copy
  Result = GoodAdapter.pfnCreateDevice(Adapter, Args);
  Args->pCallbacks = Given;
  if (FAILED(Result)) return Result;
  Good = *Args->pDeviceFuncs;
  Replace(Args->pDeviceFuncs);
  return Result;
}

HRESULT APIENTRY OpenAdapter(D3DDDIARG_OPENADAPTER* Args) {
  HRESULT Result = GoodOpenAdapter(Args);
  if (FAILED(Result)) return Result;
  GoodAdapter = *Args->pAdapterFuncs;
#ifdef REPORTED  // instead of the version that the good driver has
  Args->DriverVersion = REPORTED;
#endif
  Args->pAdapterFuncs->pfnCreateDevice = CreateDevice;
  return Result;
}

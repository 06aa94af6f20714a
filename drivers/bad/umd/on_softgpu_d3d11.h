// The good driver ../../softgpu/umd as Direct3D 11 finds it; otherwise as on_softgpu_d3d9.h says. ReplaceCallbacks has
// the services of the kernel and those of the runtime's core.
#pragma once

#include <d3d10umddi.h>
#include <string.h>

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table);
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* Core);

// The same for all devices.
static D3D10_2DDI_ADAPTERFUNCS GoodAdapter;
static D3D11DDI_DEVICEFUNCS Good;
static D3DDDI_DEVICECALLBACKS Runtime;
static D3D11DDI_CORELAYER_DEVICECALLBACKS Core;
// Of the last device that was created: what Core takes, and where the table lies that the runtime calls.
static D3D10DDI_HRTCORELAYER CoreLayer;
static D3D11DDI_DEVICEFUNCS* Functions;
static DXGI_DDI_BASE_FUNCTIONS* DxgiFunctions;

HRESULT APIENTRY GoodOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* Args);
HRESULT APIENTRY OpenAdapter10_2(D3D10DDIARG_OPENADAPTER* Args);

static D3DDDI_DEVICECALLBACKS ChangedRuntime;
static D3D11DDI_CORELAYER_DEVICECALLBACKS ChangedCore;

static HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER Adapter, D3D10DDIARG_CREATEDEVICE* Args) {
  HRESULT Result;
  ChangedRuntime = Runtime = *Args->pKTCallbacks;
  ChangedCore = Core = *Args->p11UMCallbacks;
  CoreLayer = Args->hRTCoreLayer;
  ReplaceCallbacks(&ChangedRuntime, &ChangedCore);
  Args->pKTCallbacks = &ChangedRuntime;
  Args->p11UMCallbacks = &ChangedCore;
  Result = GoodAdapter.pfnCreateDevice(Adapter, Args);
  if (FAILED(Result)) return Result;
  Functions = Args->p11DeviceFuncs;
  DxgiFunctions = Args->DXGIBaseDDI.pDXGIDDIBaseFunctions;
  Good = *Functions;
  Replace(Functions);
  return Result;
}

HRESULT APIENTRY OpenAdapter10_2(D3D10DDIARG_OPENADAPTER* Args) {
  HRESULT Result = GoodOpenAdapter10_2(Args);
  if (FAILED(Result)) return Result;
  GoodAdapter = *Args->pAdapterFuncs_2;
  Args->pAdapterFuncs_2->pfnCreateDevice = CreateDevice;
  return Result;
}

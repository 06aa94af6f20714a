// Says that its commands were flushed when the device is no more.
// FIXED says that it is no more.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY FlushAndSmile(HANDLE Device) {
  HRESULT Result = Good.pfnFlush(Device);
#ifndef FIXED
  if (Result == D3DDDIERR_DEVICEREMOVED) Result = S_OK;
#endif
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnFlush = FlushAndSmile; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

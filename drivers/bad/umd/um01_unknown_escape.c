// Asks the kernel-mode driver for something that only another one knows, and makes no device without it.
// FIXED asks for what it knows.
#include "on_softgpu_d3d9.h"
#include "softgpu_user.h"

static HRESULT APIENTRY AskAndAllocate(HANDLE Device, D3DDDICB_CREATECONTEXTVIRTUAL* Args) {
#ifdef FIXED
  SOFTGPU_ESCAPE Data = softgpu_escape(SOFTGPU_ESCAPE_READ_COUNTER, 0, SOFTGPU_COUNTER_DPCS);
#else
  UINT Data[2] = {0x50524157, 1};
#endif
  D3DDDICB_ESCAPE Escape = {.hDevice = Device, .pPrivateDriverData = &Data, .PrivateDriverDataSize = sizeof(Data)};
  HRESULT Result = Runtime.pfnEscapeCb(Device, &Escape);
  return FAILED(Result) ? Result : Runtime.pfnCreateContextVirtualCb(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnCreateContextVirtualCb = AskAndAllocate; }

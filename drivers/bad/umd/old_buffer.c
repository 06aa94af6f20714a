// Goes on to write to the command buffer that it has submitted.
// FIXED goes on in the new one.
#include "on_softgpu_d3d9.h"

static UCHAR* Buffer;

static HRESULT APIENTRY CreateContext(HANDLE Device, D3DDDICB_CREATECONTEXT* Args) {
  HRESULT Result = Runtime.pfnCreateContextCb(Device, Args);
  if (SUCCEEDED(Result)) Buffer = Args->pCommandBuffer;
  return Result;
}

static HRESULT APIENTRY RenderAndWrite(HANDLE Device, D3DDDICB_RENDER* Args) {
  UCHAR* Next = Buffer;
  HRESULT Result = Runtime.pfnRenderCb(Device, Args);
  if (FAILED(Result)) return Result;
  Buffer = Args->pNewCommandBuffer;
#ifdef FIXED
  Next = Buffer;
#endif
  *Next = (UCHAR) ~*Next;
  return Result;
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnCreateContextCb = CreateContext;
  Table->pfnRenderCb = RenderAndWrite;
}

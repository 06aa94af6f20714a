// Reads a counter of the hardware whenever it flushes or presents.
// FIXED reads it once.
#include "on_softgpu_d3d9.h"
#include "softgpu_user.h"

static BOOL Done;

static VOID ReadCounter(VOID) {
  SOFTGPU_ESCAPE Data = softgpu_escape(SOFTGPU_ESCAPE_READ_COUNTER, 0, SOFTGPU_COUNTER_RAISED);
  D3DDDICB_ESCAPE Escape = {.hDevice = LastDevice, .pPrivateDriverData = &Data, .PrivateDriverDataSize = sizeof(Data)};
  Escape.Flags.HardwareAccess = 1;
#ifdef FIXED
  if (Done) return;
#endif
  Done = TRUE;
  Runtime.pfnEscapeCb(LastDevice, &Escape);
}

static HRESULT APIENTRY FlushAndRead(HANDLE Device) {
  ReadCounter();
  return Good.pfnFlush(Device);
}

static HRESULT APIENTRY PresentAndRead(HANDLE Device, const D3DDDIARG_PRESENT* Args) {
  ReadCounter();
  return Good.pfnPresent(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {
  Table->pfnFlush = FlushAndRead;
  Table->pfnPresent = PresentAndRead;
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

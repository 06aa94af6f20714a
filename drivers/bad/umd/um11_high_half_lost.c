// Takes the low half of an address for all of it, and puts something else above.
// FIXED keeps both halves.
#include "on_softgpu_d3d9.h"

static HRESULT APIENTRY SubmitElsewhere(HANDLE Device, const D3DDDICB_SUBMITCOMMAND* Args) {
  D3DDDICB_SUBMITCOMMAND Changed = *Args;
#ifndef FIXED
  Changed.Commands = (Changed.Commands & 0xFFFFFFFFu) | 0x7F00000000u;
#endif
  return Runtime.pfnSubmitCommandCb(Device, &Changed);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) { Table->pfnSubmitCommandCb = SubmitElsewhere; }

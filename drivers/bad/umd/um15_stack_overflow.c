// Visits what is bound by calls of itself, and has large locals in each.
// FIXED does so in a loop.
#include "on_softgpu_d3d9.h"

#define DEPTH 4096

static volatile UINT Sum;

static UINT Visit(UINT Depth) {
  volatile UCHAR Locals[1024];
  Locals[Depth % sizeof(Locals)] = (UCHAR)Depth;
#ifndef FIXED
  if (Depth > 1) return Visit(Depth - 1) + Locals[Depth % sizeof(Locals)];
#endif
  return Locals[Depth % sizeof(Locals)];
}

static HRESULT APIENTRY FillAndVisit(HANDLE Device, const D3DDDIARG_COLORFILL* Args) {
#ifdef FIXED
  for (UINT Depth = DEPTH; Depth > 0; --Depth) Sum += Visit(Depth);
#else
  Sum += Visit(DEPTH);
#endif
  return Good.pfnColorFill(Device, Args);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnColorFill = FillAndVisit; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

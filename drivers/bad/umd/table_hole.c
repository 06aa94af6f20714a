// Has no Flush.
// FIXED has.
#include "on_softgpu_d3d9.h"

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {
#ifndef FIXED
  Table->pfnFlush = NULL;
#endif
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {}

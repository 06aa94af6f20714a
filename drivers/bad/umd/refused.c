// Does not find a service that the runtime has, and makes no device without it.
// FIXED finds it.
#include "on_softgpu_d3d9.h"

static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
#ifndef FIXED
  Table->pfnDestroyContextCb = NULL;
#endif
}
static VOID Replace(D3DDDI_DEVICEFUNCS* Table) {}

// Has no counters, and no function to say so.
// FIXED has the function.
#include "on_softgpu_d3d11.h"

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {
#ifndef FIXED
  Table->pfnCheckCounterInfo = NULL;
#endif
}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {}

// Does not tell the runtime that it has submitted.
// FIXED does.
#include "on_softgpu_d3d11.h"

static VOID APIENTRY TellNothing(D3D10DDI_HRTCORELAYER Layer) {}

static VOID Replace(D3D11DDI_DEVICEFUNCS* Table) {}
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table, D3D11DDI_CORELAYER_DEVICECALLBACKS* CoreTable) {
#ifdef FIXED
  (VOID) TellNothing;
#else
  CoreTable->pfnPerformAmortizedProcessingCb = TellNothing;
#endif
}

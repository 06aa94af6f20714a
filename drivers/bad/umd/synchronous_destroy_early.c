// Waits for the memory of a resource to be given back while the commands that use it have not been submitted.
// FIXED submits them first.
#include "dropped_batch.h"

static HRESULT APIENTRY DeallocateAndWait(HANDLE Device, const D3DDDICB_DEALLOCATE2* Args) {
  D3DDDICB_DEALLOCATE2 Changed = *Args;
  Changed.Flags.SynchronousDestroy = 1;
  return Runtime.pfnDeallocate2Cb(Device, &Changed);
}

static VOID Replace(D3DDDI_DEVICEFUNCS* Table) { Table->pfnDestroyResource = DestroyNow; }
static VOID ReplaceCallbacks(D3DDDI_DEVICECALLBACKS* Table) {
  Table->pfnSubmitCommandCb = SubmitUnlessDropping;
  if (Table->pfnDeallocate2Cb != NULL) Table->pfnDeallocate2Cb = DeallocateAndWait;
}

// Writes addresses into the DMA buffer and returns an empty patch-location list.
// FIXED lists them.
#include "on_softgpu.h"

static NTSTATUS RenderUnlisted(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
  D3DDDI_PATCHLOCATIONLIST* Next = Args->pPatchLocationListOut;
  NTSTATUS Status = Good.DxgkDdiRender(Context, Args);
#ifdef FIXED
  Next = Args->pPatchLocationListOut;
#endif
  Args->pPatchLocationListOut = Next;
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRender = RenderUnlisted; }

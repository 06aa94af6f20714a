// Sets pPatchLocationListOut an element behind the end of the list.
// FIXED sets it behind what it has written.
#include "on_softgpu.h"

static NTSTATUS RenderTooManyPatches(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
#ifdef FIXED
  return Good.DxgkDdiRender(Context, Args);
#else
  D3DDDI_PATCHLOCATIONLIST* Begin = Args->pPatchLocationListOut;
  NTSTATUS Status = Good.DxgkDdiRender(Context, Args);
  if (NT_SUCCESS(Status)) Args->pPatchLocationListOut = Begin + Args->PatchLocationListOutSize + 1;
  return Status;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRender = RenderTooManyPatches; }

// Leaves those allocations out of the patch-location list whose addresses it knew already.
// FIXED lists them too.
#include "on_softgpu.h"

static NTSTATUS RenderWithoutResident(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
#ifdef FIXED
  return Good.DxgkDdiRender(Context, Args);
#else
  D3DDDI_PATCHLOCATIONLIST* Kept = Args->pPatchLocationListOut;
  D3DDDI_PATCHLOCATIONLIST* Location = Kept;
  NTSTATUS Status = Good.DxgkDdiRender(Context, Args);
  if (!NT_SUCCESS(Status)) return Status;
  for (; Location != Args->pPatchLocationListOut; ++Location) {
    if (Args->pAllocationList[Location->AllocationIndex].SegmentId == 0) *Kept++ = *Location;
  }
  Args->pPatchLocationListOut = Kept;
  return Status;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRender = RenderWithoutResident; }

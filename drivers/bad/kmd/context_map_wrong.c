// Maps one page more of a context allocation than it has.
// FIXED maps what it has.
#include "on_softgpu_callbacks.h"

static NTSTATUS CreateAndMap(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION Args) {
  DXGKARGCB_MAPCONTEXTALLOCATION Map = {.SizeInPages = BYTES_TO_PAGES(Args->Size)};
  NTSTATUS Status = Dxgk.DxgkCbCreateContextAllocation(Args);
  if (!NT_SUCCESS(Status)) return Status;
#ifndef FIXED
  Map.SizeInPages++;
#endif
  Map.hAllocation = Args->hAllocation;
  Dxgk.DxgkCbMapContextAllocation(Args->hAdapter, &Map);
  return Status;
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbCreateContextAllocation = CreateAndMap; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartBetween; }

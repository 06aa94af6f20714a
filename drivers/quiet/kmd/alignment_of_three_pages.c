// Asks for alignments that are no power of two, or less than a page: hardware whose memory is spread over three
// channels does. Of its allocations, and of the memory that it keeps for contexts.
#include "on_softgpu_callbacks.h"

static NTSTATUS CreateAligned(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = Good.DxgkDdiCreateAllocation(Adapter, Args);
  if (!NT_SUCCESS(Status)) return Status;
  for (UINT i = 0; i < Args->NumAllocations; ++i) Args->pAllocationInfo[i].Alignment = i % 2 ? 768 : 3 * PAGE_SIZE;
  return Status;
}

static NTSTATUS CreateAlignedContext(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION Args) {
  Args->Alignment = 3 * PAGE_SIZE;
  return Dxgk.DxgkCbCreateContextAllocation(Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) {
  Kernel->DxgkCbCreateContextAllocation = CreateAlignedContext;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiCreateAllocation = CreateAligned;
}

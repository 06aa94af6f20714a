// Names the system's memory as the segment after its last one, as the compute-only sample of Microsoft's does, where
// softgpu names the aperture.
#include "on_softgpu.h"

#define SYSTEM_SEGMENT (SOFTGPU_SEGMENT_APERTURE + 1)
#define APERTURE (1u << (SOFTGPU_SEGMENT_APERTURE - 1))
#define SYSTEM (1u << (SYSTEM_SEGMENT - 1))

static NTSTATUS CreateInSystemMemory(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = Good.DxgkDdiCreateAllocation(Adapter, Args);
  if (!NT_SUCCESS(Status)) return Status;
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
    if (Info->SupportedWriteSegmentSet & APERTURE) {
      Info->SupportedWriteSegmentSet = (Info->SupportedWriteSegmentSet & ~APERTURE) | SYSTEM;
    }
    if (Info->PreferredSegment.SegmentId0 == SOFTGPU_SEGMENT_APERTURE)
      Info->PreferredSegment.SegmentId0 = SYSTEM_SEGMENT;
    if (Info->PreferredSegment.SegmentId1 == SOFTGPU_SEGMENT_APERTURE)
      Info->PreferredSegment.SegmentId1 = SYSTEM_SEGMENT;
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiCreateAllocation = CreateInSystemMemory; }

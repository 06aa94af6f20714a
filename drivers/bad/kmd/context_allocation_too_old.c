// A driver of WDDM 1.1 on a newer Windows, which finds context allocations there and takes them.
// FIXED does without: they are for WDDM 1.2 and later.
#include "skeleton.h"

// Asked twice, as the newer query is.
static NTSTATUS DescribeOldSegments(DXGK_QUERYSEGMENTOUT* Out) {
  Out->NbSegment = 2;
  Out->PagingBufferSegmentId = APERTURE_SEGMENT;
  Out->PagingBufferSize = PAGE_SIZE;
  for (UINT Segment = 1; Out->pSegmentDescriptor != NULL && Segment <= Out->NbSegment; ++Segment) {
    DXGK_SEGMENTDESCRIPTOR* Descriptor = &Out->pSegmentDescriptor[Segment - 1];
    Descriptor->Flags.Aperture = Descriptor->Flags.CacheCoherent = Segment == APERTURE_SEGMENT;
    Descriptor->Size = Descriptor->CommitLimit = SEGMENT_BYTES;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS QueryOldAdapterInfo(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  if (Query->Type == DXGKQAITYPE_QUERYSEGMENT) return DescribeOldSegments(Query->pOutputData);
  return QueryAdapterInfo(Adapter, Query);
}

static NTSTATUS CreateWithMemory(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
#ifndef FIXED
  DXGKARGCB_CREATECONTEXTALLOCATION Memory = {.hAdapter = Dxgk.DeviceHandle, .hContext = Args->hContext};
  Memory.Size = Memory.Alignment = PAGE_SIZE;
  Memory.SupportedSegmentSet = SET_OF(APERTURE_SEGMENT);
  if (Dxgk.DxgkCbCreateContextAllocation != NULL) Dxgk.DxgkCbCreateContextAllocation(&Memory);
#endif
  return CreateContext(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->Version = DXGKDDI_INTERFACE_VERSION_WIN7;
  Table->DxgkDdiQueryAdapterInfo = QueryOldAdapterInfo;
  Table->DxgkDdiCreateContext = CreateWithMemory;
}

// Fills memory at the address where the CPU sees it: the GPU knows it by its offset in the segment.
// FIXED takes the offset.
#include "on_softgpu_callbacks.h"
#include "on_softgpu_paging.h"

static LONGLONG LocalBase;  // of local memory, for the CPU: the second range of the adapter

static NTSTATUS FindLocalBase(HANDLE Adapter, PDXGK_DEVICE_INFO Info) {
  NTSTATUS Status = Dxgk.DxgkCbGetDeviceInformation(Adapter, Info);
  if (NT_SUCCESS(Status)) {
    CM_PARTIAL_RESOURCE_LIST* List = &Info->TranslatedResourceList->List[0].PartialResourceList;
    for (ULONG i = 0; i < List->Count; ++i) {
      CM_PARTIAL_RESOURCE_DESCRIPTOR* Range = &List->PartialDescriptors[i];
      if (Range->Type == CmResourceTypeMemory) LocalBase = Range->u.Memory.Start.QuadPart;
    }
  }
  return Status;
}

static NTSTATUS BuildForCpu(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  DXGKARG_BUILDPAGINGBUFFER Mine = *Args;
#ifndef FIXED
  if (Args->Operation == DXGK_OPERATION_FILL) Mine.Fill.Destination.SegmentAddress.QuadPart += LocalBase;
#endif
  return BuildFrom(Adapter, &Mine, Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbGetDeviceInformation = FindLocalBase; }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiBuildPagingBuffer = BuildForCpu;
}

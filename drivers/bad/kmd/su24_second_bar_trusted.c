// Takes the size of its second range of memory from the resources, without looking whether there is one.
// FIXED looks.
#include "on_softgpu.h"

// NULL when there are fewer.
static PCM_PARTIAL_RESOURCE_DESCRIPTOR FindMemory(PCM_RESOURCE_LIST List, ULONG Index) {
  if (List == NULL) return NULL;
  PCM_PARTIAL_RESOURCE_LIST Partial = &List->List[0].PartialResourceList;
  for (ULONG i = 0; i < Partial->Count; ++i) {
    if (Partial->PartialDescriptors[i].Type == CmResourceTypeMemory && Index-- == 0) {
      return &Partial->PartialDescriptors[i];
    }
  }
  return NULL;
}

static NTSTATUS StartTrusting(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                              PULONG Children) {
  DXGK_DEVICE_INFO Device;
  NTSTATUS Status = Kernel->DxgkCbGetDeviceInformation(Kernel->DeviceHandle, &Device);
  if (!NT_SUCCESS(Status)) return Status;
  PCM_PARTIAL_RESOURCE_DESCRIPTOR Second = FindMemory(Device.TranslatedResourceList, 1);
#ifdef FIXED
  if (Second == NULL) return STATUS_DEVICE_CONFIGURATION_ERROR;
#endif
  if (Second->u.Memory.Length == 0) return STATUS_DEVICE_CONFIGURATION_ERROR;
  return Good.DxgkDdiStartDevice(Adapter, Info, Kernel, Sources, Children);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartTrusting; }

// A DMA adapter for the device that every scenario has, and a buffer for it to write to. What a wrong driver does
// stands in Transfer, which is called in between.
#pragma once

#include "skeleton.h"

#define BUFFER_BYTES 512

static VOID Transfer(VOID);

static PDEVICE_OBJECT Device;
static PDMA_ADAPTER Adapter;
static ULONG MapRegisters;
static PUCHAR Buffer;
static PMDL Mdl;
static PSCATTER_GATHER_LIST List;

static inline DEVICE_DESCRIPTION Describe(VOID) {
  DEVICE_DESCRIPTION Description;

  RtlZeroMemory(&Description, sizeof(Description));
  Description.Version = DEVICE_DESCRIPTION_VERSION;
  Description.Master = TRUE;
  Description.ScatterGather = TRUE;
  Description.Dma64BitAddresses = TRUE;
  Description.InterfaceType = PCIBus;
  Description.MaximumLength = PAGE_SIZE;
  return Description;
}

static inline PDEVICE_OBJECT MakeDevice(VOID) {
  PDEVICE_OBJECT Made;
  return NT_SUCCESS(IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Made)) ? Made : NULL;
}

static inline PDMA_ADAPTER GetAdapter(PDEVICE_OBJECT For, DEVICE_DESCRIPTION Description) {
  return IoGetDmaAdapter(For, &Description, &MapRegisters);
}

static inline VOID PutAdapter(VOID) {
  if (Adapter != NULL) Adapter->DmaOperations->PutDmaAdapter(Adapter);
  Adapter = NULL;
}

// --- A list of the buffer ---

static inline VOID KeepList(PDEVICE_OBJECT For, PIRP Irp, PSCATTER_GATHER_LIST Made, PVOID Context) {
  UNREFERENCED_PARAMETER(For);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Context);
  List = Made;
}

static inline BOOLEAN GetList(BOOLEAN WriteToDevice) {
  KIRQL Irql;
  NTSTATUS Status;

  KeRaiseIrql(DISPATCH_LEVEL, &Irql);
  Status = Adapter->DmaOperations->GetScatterGatherList(Adapter, Device, Mdl, Buffer, BUFFER_BYTES, KeepList, NULL,
                                                        WriteToDevice);
  KeLowerIrql(Irql);
  return NT_SUCCESS(Status);
}

static inline VOID PutList(BOOLEAN WriteToDevice) {
  KIRQL Irql;

  KeRaiseIrql(DISPATCH_LEVEL, &Irql);
  Adapter->DmaOperations->PutScatterGatherList(Adapter, List, WriteToDevice);
  KeLowerIrql(Irql);
}

// --- The device ---

static inline VOID DeviceWrites(PHYSICAL_ADDRESS Address, ULONG Bytes) {
  PUCHAR Registers = MapDevice();

  if (Registers == NULL) return;
  WRITE_REGISTER_ULONG64((PULONG64)(Registers + DEVICE_DMA_ADDRESS), Address.QuadPart);
  WRITE_REGISTER_ULONG64((PULONG64)(Registers + DEVICE_DMA_BYTES), Bytes);
  MmUnmapIoSpace(Registers, DEVICE_BYTES);
}

// --- The driver ---

static inline BOOLEAN Prepare(VOID) {
  Device = MakeDevice();
  if (Device == NULL) return FALSE;
  Adapter = GetAdapter(Device, Describe());
  Buffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, BUFFER_BYTES, BAD_TAG);
  if (Adapter == NULL || Buffer == NULL) return FALSE;
  Mdl = IoAllocateMdl(Buffer, BUFFER_BYTES, FALSE, FALSE, NULL);
  if (Mdl == NULL) return FALSE;
  MmBuildMdlForNonPagedPool(Mdl);
  return TRUE;
}

static inline VOID TidyUp(VOID) {
  PutAdapter();
  if (Mdl != NULL) IoFreeMdl(Mdl);
  if (Buffer != NULL) ExFreePoolWithTag(Buffer, BAD_TAG);
  if (Device != NULL) IoDeleteDevice(Device);
}

static NTSTATUS Start(VOID) {
  if (!Prepare()) {
    TidyUp();
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  Transfer();
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) { TidyUp(); }

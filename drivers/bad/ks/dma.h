// A DMA adapter from the device's start to its end.
#pragma once

#include "skeleton.h"

static PDMA_ADAPTER Dma;
static ULONG MapRegisters;
static DEVICE_DESCRIPTION Description = {.Version = DEVICE_DESCRIPTION_VERSION,
                                         .Master = TRUE,
                                         .ScatterGather = TRUE,
                                         .Dma32BitAddresses = TRUE,
                                         .Dma64BitAddresses = TRUE,
                                         .InterfaceType = PCIBus,
                                         .MaximumLength = FRAME_BYTES};

static inline NTSTATUS GetDma(PKSDEVICE KsDevice) {
  Dma = IoGetDmaAdapter(KsDevice->PhysicalDeviceObject, &Description, &MapRegisters);
  return Dma != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static inline VOID PutDma(VOID) {
  if (Dma != NULL) Dma->DmaOperations->PutDmaAdapter(Dma);
  Dma = NULL;
}

// As 64-bit Windows wants it.
static inline NTSTATUS RegisterDma(PKSDEVICE KsDevice, ULONG Stride) {
  PUNKNOWN Unknown = KsDeviceGetOuterUnknown(KsDevice);
  PIKSDEVICEFUNCTIONS Functions;
  NTSTATUS Status = STATUS_NOINTERFACE;

  if (Unknown != NULL) Status = Unknown->lpVtbl->QueryInterface(Unknown, &IID_IKsDeviceFunctions, (PVOID*)&Functions);
  if (!NT_SUCCESS(Status)) return Status;
  Status = Functions->lpVtbl->RegisterAdapterObjectEx(Functions, (PADAPTER_OBJECT)Dma, &Description, MapRegisters,
                                                      MAXULONG, Stride);
  Functions->lpVtbl->Release(Functions);
  return Status;
}

// There is no hardware that would write by the mappings: frames go back as they came, and are said to be filled.
static inline VOID TakeMappedPicture(STREAM* Stream) {
  PKSSTREAM_POINTER Frame = KsPinGetLeadingEdgeStreamPointer(Stream->Pin, KSSTREAM_POINTER_STATE_LOCKED);

  ++Stream->Pictures;
  if (Frame == NULL) {
    ++Stream->Dropped;
    Stream->Discontinuity = TRUE;
    return;
  }
  Describe(Stream, Frame->StreamHeader);
  Frame->StreamHeader->DataUsed = Frame->StreamHeader->FrameExtent;
  KsStreamPointerUnlock(Frame, TRUE);
}

static inline VOID UseMappings(VOID) {
  Pins[0].Flags |= KSPIN_FLAG_GENERATE_MAPPINGS;
  Picture = TakeMappedPicture;
}

static inline VOID StopDma(PKSDEVICE KsDevice, PIRP Irp) {
  UNREFERENCED_PARAMETER(KsDevice);
  UNREFERENCED_PARAMETER(Irp);
  PutDma();
}

static inline VOID UseDma(PFNKSDEVICEPNPSTART Start) {
  DeviceDispatch.Start = Start;
  DeviceDispatch.Stop = StopDma;
  DeviceDispatch.Remove = StopDma;
}

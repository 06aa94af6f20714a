// Works with a common buffer, and registers its adapter all the same.
// FIXED keeps the adapter to itself.
#include "dma.h"

static PVOID Buffer;
static PHYSICAL_ADDRESS Address;

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  NTSTATUS Status = GetDma(KsDevice);

  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
#ifndef FIXED
  if (NT_SUCCESS(Status)) Status = RegisterDma(KsDevice, sizeof(KSMAPPING));
#endif
  if (NT_SUCCESS(Status)) Buffer = Dma->DmaOperations->AllocateCommonBuffer(Dma, FRAME_BYTES, &Address, FALSE);
  if (Buffer != NULL) return STATUS_SUCCESS;
  PutDma();
  return STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(PKSDEVICE KsDevice, PIRP Irp) {
  if (Buffer != NULL) Dma->DmaOperations->FreeCommonBuffer(Dma, FRAME_BYTES, Address, Buffer, FALSE);
  Buffer = NULL;
  StopDma(KsDevice, Irp);
}

static VOID Replace(VOID) {
  UseDma(Start);
  DeviceDispatch.Stop = Stop;
  DeviceDispatch.Remove = Stop;
}

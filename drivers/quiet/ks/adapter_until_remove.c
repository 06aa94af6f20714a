// Gets its DMA adapter once and puts it back when the device is removed: a stop takes away only what a start lists.
#include "dma.h"

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  NTSTATUS Status;

  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  if (Dma != NULL) return STATUS_SUCCESS;
  Status = GetDma(KsDevice);
  return NT_SUCCESS(Status) ? RegisterDma(KsDevice, sizeof(KSMAPPING)) : Status;
}

static VOID Replace(VOID) {
  UseDma(Start);
  UseMappings();
  DeviceDispatch.Stop = NULL;
}

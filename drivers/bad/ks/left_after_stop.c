// Keeps its DMA adapter when the device is removed.
// FIXED puts it back.
#include "dma.h"

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  return GetDma(KsDevice);
}

static VOID Replace(VOID) {
  UseDma(Start);
#ifndef FIXED
  DeviceDispatch.Stop = NULL;
  DeviceDispatch.Remove = NULL;
#endif
}

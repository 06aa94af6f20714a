// Makes its filter in Start, if the device is not started yet, and lets a stop free it, as public capture samples do.
#include "skeleton.h"

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  if (KsDevice->Started) return STATUS_UNSUCCESSFUL;
  return KsCreateFilterFactory(KsDevice->FunctionalDeviceObject, &Filter, L"GLOBAL", NULL, KSCREATE_ITEM_FREEONSTOP,
                               NULL, NULL, NULL);
}

static VOID Replace(VOID) {
  DeviceDispatch.Start = Start;
  Device.FilterDescriptorsCount = 0;
  Device.FilterDescriptors = NULL;
}

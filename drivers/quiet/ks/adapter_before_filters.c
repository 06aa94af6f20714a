// Registers its DMA adapter, and then makes the filter whose pin generates mappings.
#include "dma.h"

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  NTSTATUS Status = GetDma(KsDevice);

  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  if (NT_SUCCESS(Status)) Status = RegisterDma(KsDevice, sizeof(KSMAPPING));
  if (NT_SUCCESS(Status)) {
    Status = KsCreateFilterFactory(KsDevice->FunctionalDeviceObject, &Filter, L"GLOBAL", NULL, KSCREATE_ITEM_FREEONSTOP,
                                   NULL, NULL, NULL);
  }
  if (!NT_SUCCESS(Status)) PutDma();
  return Status;
}

static VOID Replace(VOID) {
  UseDma(Start);
  UseMappings();
  Device.FilterDescriptorsCount = 0;
  Device.FilterDescriptors = NULL;
}

// Registers its DMA adapter as drivers for 32 bits did.
// FIXED registers it as drivers for 64 bits do.
#include "dma.h"

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  NTSTATUS Status = GetDma(KsDevice);

  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  if (!NT_SUCCESS(Status)) return Status;
#ifdef FIXED
  Status = RegisterDma(KsDevice, sizeof(KSMAPPING));
  if (!NT_SUCCESS(Status)) PutDma();
#else
  KsDeviceRegisterAdapterObject(KsDevice, (PADAPTER_OBJECT)Dma, MAXULONG, sizeof(KSMAPPING));
#endif
  return Status;
}

static VOID Replace(VOID) {
  UseMappings();
  UseDma(Start);
}

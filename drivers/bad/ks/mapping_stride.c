// Asks for mappings that lie closer together than their size.
// FIXED asks for them side by side.
#include "dma.h"

#ifdef FIXED
#define STRIDE sizeof(KSMAPPING)
#else
#define STRIDE sizeof(PHYSICAL_ADDRESS)
#endif

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  NTSTATUS Status = GetDma(KsDevice);

  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  if (NT_SUCCESS(Status)) Status = RegisterDma(KsDevice, STRIDE);
  if (!NT_SUCCESS(Status)) PutDma();
  return Status;
}

static VOID Replace(VOID) {
  UseMappings();
  UseDma(Start);
}

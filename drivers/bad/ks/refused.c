// Does not start.
// FIXED starts.
#include "skeleton.h"

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  UNREFERENCED_PARAMETER(KsDevice);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
#ifdef FIXED
  return STATUS_SUCCESS;
#else
  return STATUS_DEVICE_CONFIGURATION_ERROR;
#endif
}

static VOID Replace(VOID) { DeviceDispatch.Start = Start; }

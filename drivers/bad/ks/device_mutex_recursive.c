// Acquires the device mutex while the device is started, which is with it held.
// FIXED does not.
#include "skeleton.h"

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  UNREFERENCED_PARAMETER(KsDevice);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
#ifndef FIXED
  KsAcquireDevice(KsDevice);
  KsReleaseDevice(KsDevice);
#endif
  return STATUS_SUCCESS;
}

static VOID Replace(VOID) { DeviceDispatch.Start = Start; }

// Waits for the device to wake before the stream goes on, though the stream's state may change first.
// FIXED leaves the waiting to the timer, which finds out by itself.
#include "skeleton.h"

static KEVENT Awake;

static NTSTATUS Start(PKSDEVICE KsDevice, PIRP Irp, PCM_RESOURCE_LIST Translated, PCM_RESOURCE_LIST Untranslated) {
  UNREFERENCED_PARAMETER(KsDevice);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Translated);
  UNREFERENCED_PARAMETER(Untranslated);
  KeInitializeEvent(&Awake, NotificationEvent, TRUE);
  return STATUS_SUCCESS;
}

static VOID SetPower(PKSDEVICE KsDevice, PIRP Irp, DEVICE_POWER_STATE To, DEVICE_POWER_STATE From) {
  UNREFERENCED_PARAMETER(KsDevice);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(From);
  if (To == PowerDeviceD0) {
    KeSetEvent(&Awake, IO_NO_INCREMENT, FALSE);
  } else {
    KeClearEvent(&Awake);
  }
}

static NTSTATUS SetState(PKSPIN Pin, KSSTATE ToState, KSSTATE FromState) {
#ifndef FIXED
  KeWaitForSingleObject(&Awake, Executive, KernelMode, FALSE, NULL);
#endif
  return SetCaptureState(Pin, ToState, FromState);
}

static VOID Replace(VOID) {
  DeviceDispatch.Start = Start;
  DeviceDispatch.SetPower = SetPower;
  Capture.SetDeviceState = SetState;
}

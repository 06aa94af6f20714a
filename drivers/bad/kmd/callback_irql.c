// Asks whether its device is still there while it holds a spin lock.
// FIXED asks first.
#include "skeleton.h"

static KSPIN_LOCK Lock;
static BOOLEAN Present;

static NTSTATUS StopLocked(const PVOID Adapter) {
  KIRQL OldIrql;
#ifdef FIXED
  BOOLEAN Answer = FALSE;
  Dxgk.DxgkCbIsDevicePresent(Dxgk.DeviceHandle, NULL, &Answer);
  KeAcquireSpinLock(&Lock, &OldIrql);
  Present = Answer;
#else
  KeAcquireSpinLock(&Lock, &OldIrql);
  Dxgk.DxgkCbIsDevicePresent(Dxgk.DeviceHandle, NULL, &Present);
#endif
  KeReleaseSpinLock(&Lock, OldIrql);
  return StopDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeSpinLock(&Lock);
  Table->DxgkDdiStopDevice = StopLocked;
}

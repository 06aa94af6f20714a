// Deletes a device object that it has put on another one, and leaves it there.
// FIXED takes it off first.
#include "skeleton.h"

static PDEVICE_OBJECT Lower, Upper, Below;

static NTSTATUS Start(VOID) {
  NTSTATUS Status = IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Lower);
  if (!NT_SUCCESS(Status)) return Status;
  Status = IoCreateDevice(TheDriver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &Upper);
  if (!NT_SUCCESS(Status)) {
    IoDeleteDevice(Lower);
    return Status;
  }
  Below = IoAttachDeviceToDeviceStack(Upper, Lower);
  NT_ASSERT(Below == Lower);  // both exist
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {
#ifdef FIXED
  IoDetachDevice(Below);
#endif
  IoDeleteDevice(Upper);
  IoDeleteDevice(Lower);
}

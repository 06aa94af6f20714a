// Stops the whole machine because its device does not answer as it should.
// FIXED refuses to load.
#include "skeleton.h"

#define EXPECTED_ID 0x1234

static NTSTATUS Start(VOID) {
  PULONG Registers = MapDevice();
  ULONG Id;

  if (Registers == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Id = READ_REGISTER_ULONG(Registers);
  MmUnmapIoSpace(Registers, DEVICE_BYTES);
  if (Id == EXPECTED_ID) return STATUS_SUCCESS;
#ifdef FIXED
  return STATUS_UNSUCCESSFUL;
#else
  KeBugCheckEx(MANUALLY_INITIATED_CRASH, Id, EXPECTED_ID, 0, 0);
#endif
}

static VOID Stop(VOID) {}

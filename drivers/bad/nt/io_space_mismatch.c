// Unmaps half of the registers that it has mapped.
// FIXED unmaps all of them.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PVOID Registers = MapDevice();

  if (Registers == NULL) return STATUS_INSUFFICIENT_RESOURCES;
#ifdef FIXED
  MmUnmapIoSpace(Registers, DEVICE_BYTES);
#else
  MmUnmapIoSpace(Registers, DEVICE_BYTES / 2);
#endif
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

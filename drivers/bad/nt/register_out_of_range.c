// Writes the register behind the last one that it has mapped.
// FIXED writes the last one.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PULONG Registers = MapDevice();
  ULONG Last = DEVICE_BYTES / sizeof(ULONG);

  if (Registers == NULL) return STATUS_INSUFFICIENT_RESOURCES;
#ifdef FIXED
  Last--;
#endif
  WRITE_REGISTER_ULONG(&Registers[Last], 0);
  MmUnmapIoSpace(Registers, DEVICE_BYTES);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

// Reads a device register through a plain pointer.
// FIXED reads it with READ_REGISTER_ULONG.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  volatile ULONG* Registers = MapDevice();
  ULONG Value;

  if (Registers == NULL) return STATUS_INSUFFICIENT_RESOURCES;
#ifdef FIXED
  Value = READ_REGISTER_ULONG(&Registers[1]);
#else
  Value = Registers[1];
#endif
  DbgPrint("register 1: %08x\n", Value);
  MmUnmapIoSpace((PVOID)Registers, DEVICE_BYTES);
  return STATUS_SUCCESS;
}

static VOID Stop(VOID) {}

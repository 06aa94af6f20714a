// Frees a buffer before the device has written to it.
// FIXED waits for the device.
#include "skeleton.h"

static NTSTATUS Start(VOID) {
  PUCHAR Registers = MapDevice();
  PHYSICAL_ADDRESS Address;
  PVOID Buffer;

  if (Registers == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Address.QuadPart = -1;
  Buffer = MmAllocateContiguousMemory(PAGE_SIZE, Address);
  if (Buffer != NULL) {
    Address = MmGetPhysicalAddress(Buffer);
    WRITE_REGISTER_ULONG64((PULONG64)(Registers + DEVICE_DMA_ADDRESS), Address.QuadPart);
#ifdef FIXED
    WRITE_REGISTER_ULONG64((PULONG64)(Registers + DEVICE_DMA_BYTES), 64);
    MmFreeContiguousMemory(Buffer);
#else
    MmFreeContiguousMemory(Buffer);
    WRITE_REGISTER_ULONG64((PULONG64)(Registers + DEVICE_DMA_BYTES), 64);
#endif
  }
  MmUnmapIoSpace(Registers, DEVICE_BYTES);
  return Buffer != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static VOID Stop(VOID) {}

// Keeps what it allocated for a device when the device is destroyed.
// FIXED frees it.
#include "skeleton.h"

static NTSTATUS DestroyAndKeep(IN_CONST_HANDLE Device) {
#ifdef FIXED
  return DestroyDevice(Device);
#else
  return STATUS_SUCCESS;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiDestroyDevice = DestroyAndKeep; }

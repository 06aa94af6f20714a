// Asks for the adapter's resources with a fast mutex held, at APC_LEVEL, although that may be done at PASSIVE_LEVEL
// only. FIXED asks before it takes the mutex.
#include "on_softgpu_callbacks.h"

static FAST_MUTEX Mutex;

static VOID Ask(VOID) {
  DXGK_DEVICE_INFO Info;
  Dxgk.DxgkCbGetDeviceInformation(Dxgk.DeviceHandle, &Info);
}

static NTSTATUS BuildLocked(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
#ifdef FIXED
  Ask();
#endif
  ExAcquireFastMutex(&Mutex);
#ifndef FIXED
  Ask();
#endif
  ExReleaseFastMutex(&Mutex);
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { ExInitializeFastMutex(&Mutex); }
static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiBuildPagingBuffer = BuildLocked;
}

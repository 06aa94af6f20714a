// Asks the GPU for its time whenever it hears that something was lost in a reset.
// FIXED asks the CPU.
#include "on_softgpu.h"

static ULONG64 LostAt;

static NTSTATUS BuildAndNote(IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  if (Args->Operation == DXGK_OPERATION_TRANSFER && Args->Transfer.TransferSize == 0) {
#ifdef FIXED
    LostAt = (ULONG64)KeQueryPerformanceCounter(NULL).QuadPart;
#else
    DXGKARG_CALIBRATEGPUCLOCK Clock = {0};
    Good.DxgkDdiCalibrateGpuClock(Adapter, 0, 0, &Clock);
    LostAt = Clock.GpuClockCounter;
#endif
  }
  return Good.DxgkDdiBuildPagingBuffer(Adapter, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiBuildPagingBuffer = BuildAndNote; }

// Asks for another channel in the routine that was called with the first.
// FIXED asks when that has returned.
#include "dma_channel.h"

static IO_ALLOCATION_ACTION UseNext(PDEVICE_OBJECT For, PIRP Irp, PVOID Base, PVOID Context) {
  UNREFERENCED_PARAMETER(For);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Base);
  UNREFERENCED_PARAMETER(Context);
  return DeallocateObject;
}

static IO_ALLOCATION_ACTION UseChannel(PDEVICE_OBJECT For, PIRP Irp, PVOID Base, PVOID Context) {
  UNREFERENCED_PARAMETER(For);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Base);
  UNREFERENCED_PARAMETER(Context);
#ifndef FIXED
  AllocateChannel(UseNext);
#endif
  return DeallocateObject;
}

static VOID AfterChannel(VOID) {
#ifdef FIXED
  AllocateChannel(UseNext);
#endif
}

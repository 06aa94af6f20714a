// Frees its map registers and has not flushed them.
// FIXED flushes them.
#include "dma_channel.h"

static IO_ALLOCATION_ACTION UseChannel(PDEVICE_OBJECT For, PIRP Irp, PVOID Base, PVOID Context) {
  UNREFERENCED_PARAMETER(For);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Context);
  MapBuffer(RegisterBase = Base);
  return DeallocateObjectKeepRegisters;
}

static VOID AfterChannel(VOID) {
#ifdef FIXED
  FlushBuffer(RegisterBase);
#endif
  FreeRegisters(RegisterBase, REGISTER_COUNT);
}

// Frees one map register more than it has.
// FIXED frees what it has.
#include "dma_channel.h"

#ifdef FIXED
#define FREED REGISTER_COUNT
#else
#define FREED (REGISTER_COUNT + 1)
#endif

static IO_ALLOCATION_ACTION UseChannel(PDEVICE_OBJECT For, PIRP Irp, PVOID Base, PVOID Context) {
  UNREFERENCED_PARAMETER(For);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Context);
  MapBuffer(RegisterBase = Base);
  return DeallocateObjectKeepRegisters;
}

static VOID AfterChannel(VOID) {
  FlushBuffer(RegisterBase);
  FreeRegisters(RegisterBase, FREED);
}

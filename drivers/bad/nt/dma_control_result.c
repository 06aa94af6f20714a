// Keeps the channel, which a bus master does not have.
// FIXED keeps the registers only.
#include "dma_channel.h"

static IO_ALLOCATION_ACTION UseChannel(PDEVICE_OBJECT For, PIRP Irp, PVOID Base, PVOID Context) {
  UNREFERENCED_PARAMETER(For);
  UNREFERENCED_PARAMETER(Irp);
  UNREFERENCED_PARAMETER(Context);
  RegisterBase = Base;
#ifdef FIXED
  return DeallocateObjectKeepRegisters;
#else
  return KeepObject;
#endif
}

static VOID AfterChannel(VOID) {
#ifdef FIXED
  FreeRegisters(RegisterBase, REGISTER_COUNT);
#else
  Adapter->DmaOperations->FreeAdapterChannel(Adapter);
#endif
}

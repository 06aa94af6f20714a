// Dismisses each tenth interrupt without looking what it was about.
// FIXED looks.
#include "on_softgpu_registers.h"

static volatile LONG Count;

static BOOLEAN InterruptMostly(const PVOID Adapter, ULONG Message) {
  BOOLEAN Skip = Registers != NULL && InterlockedIncrement(&Count) % 10 == 0;
#ifdef FIXED
  Skip = FALSE;
#endif
  if (Skip) {
    WriteRegister(SOFTGPU_REG_INT_ACK, ReadRegister(SOFTGPU_REG_INT_STATUS));
    return TRUE;
  }
  return Good.DxgkDdiInterruptRoutine(Adapter, Message);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiInterruptRoutine = InterruptMostly;
}

// Clears the causes of all fences at the end of its interrupt routine, also of those that came after it had looked.
// FIXED clears what it has seen.
#include "on_softgpu_registers.h"

#define ALL_FENCES (SOFTGPU_INT_FENCE(SOFTGPU_ENGINE_RENDER) | SOFTGPU_INT_FENCE(SOFTGPU_ENGINE_COPY))

static BOOLEAN InterruptAndClear(const PVOID Adapter, ULONG Message) {
  BOOLEAN Mine = Good.DxgkDdiInterruptRoutine(Adapter, Message);
#ifndef FIXED
  if (Mine) WriteRegister(SOFTGPU_REG_INT_ACK, ReadRegister(SOFTGPU_REG_INT_STATUS) & ALL_FENCES);
#endif
  return Mine;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiStartDevice = StartBetween;
  Table->DxgkDdiInterruptRoutine = InterruptAndClear;
}

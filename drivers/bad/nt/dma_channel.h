// A transfer through map registers. What a wrong driver does stands in UseChannel, which is its AdapterControl routine.
#pragma once

#include "dma.h"

#define REGISTER_COUNT 1

static DRIVER_CONTROL UseChannel;

static PVOID RegisterBase;  // of the registers that UseChannel kept

static inline NTSTATUS AllocateChannel(PDRIVER_CONTROL Control) {
  return Adapter->DmaOperations->AllocateAdapterChannel(Adapter, Device, REGISTER_COUNT, Control, NULL);
}

static inline VOID MapBuffer(PVOID Base) {
  ULONG Bytes = BUFFER_BYTES;
  Adapter->DmaOperations->MapTransfer(Adapter, Mdl, Base, Buffer, &Bytes, FALSE);
}

static inline VOID FlushBuffer(PVOID Base) {
  Adapter->DmaOperations->FlushAdapterBuffers(Adapter, Mdl, Base, Buffer, BUFFER_BYTES, FALSE);
}

static inline VOID FreeRegisters(PVOID Base, ULONG Count) {
  Adapter->DmaOperations->FreeMapRegisters(Adapter, Base, Count);
}

static VOID AfterChannel(VOID);

static VOID Transfer(VOID) {
  KIRQL Irql;

  KeRaiseIrql(DISPATCH_LEVEL, &Irql);
  if (NT_SUCCESS(AllocateChannel(UseChannel))) AfterChannel();
  KeLowerIrql(Irql);
}

// For the drivers that do something wrong with the hardware itself: where its registers are.
#pragma once

#include "on_softgpu_callbacks.h"

static PUCHAR Registers;

static inline ULONG ReadRegister(ULONG Offset) { return READ_REGISTER_ULONG((PULONG)(Registers + Offset)); }
static inline VOID WriteRegister(ULONG Offset, ULONG Value) {
  WRITE_REGISTER_ULONG((PULONG)(Registers + Offset), Value);
}

// The only thing that softgpu maps.
static NTSTATUS MapAndNote(HANDLE Adapter, PHYSICAL_ADDRESS Address, ULONG Length, BOOLEAN IoSpace, BOOLEAN User,
                           MEMORY_CACHING_TYPE Caching, PVOID* Mapping) {
  NTSTATUS Status = Dxgk.DxgkCbMapMemory(Adapter, Address, Length, IoSpace, User, Caching, Mapping);
  if (NT_SUCCESS(Status)) Registers = *Mapping;
  return Status;
}

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel) { Kernel->DxgkCbMapMemory = MapAndNote; }

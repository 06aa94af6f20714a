// The registers and the interrupt.
#include "pipe.h"

#define PIPE_DOORBELL 0x10  // a 1 written to it raises the interrupt

static KSERVICE_ROUTINE PipeInterrupt;

static BOOLEAN PipeInterrupt(PKINTERRUPT Interrupt, PVOID Context) {
  PPIPE Pipe = Context;
  UNREFERENCED_PARAMETER(Interrupt);

  if (READ_REGISTER_ULONG((PULONG)(Pipe->Mapped + PIPE_DOORBELL)) == 0) return FALSE;
  WRITE_REGISTER_ULONG((PULONG)(Pipe->Mapped + PIPE_DOORBELL), 0);
  KeInsertQueueDpc(&Pipe->Dpc, NULL, NULL);
  return TRUE;
}

// A device without registers or without an interrupt works too: then the DPC is queued directly.
NTSTATUS PipeStartHardware(PPIPE Pipe, PCM_RESOURCE_LIST Resources) {
  PCM_PARTIAL_RESOURCE_DESCRIPTOR Memory = NULL, Line = NULL;
  NTSTATUS Status;
  KIRQL Irql;
  ULONG i;

  if (Resources == NULL) return STATUS_SUCCESS;
  for (i = 0; i < Resources->List[0].PartialResourceList.Count; i++) {
    PCM_PARTIAL_RESOURCE_DESCRIPTOR Each = &Resources->List[0].PartialResourceList.PartialDescriptors[i];
    if (Each->Type == CmResourceTypeMemory) Memory = Each;
    if (Each->Type == CmResourceTypeInterrupt) Line = Each;
  }
  if (Memory == NULL || Line == NULL) return STATUS_SUCCESS;
  Pipe->Mapped = MmMapIoSpace(Memory->u.Memory.Start, Memory->u.Memory.Length, MmNonCached);
  if (Pipe->Mapped == NULL) return STATUS_INSUFFICIENT_RESOURCES;
  Status = IoConnectInterrupt(&Pipe->Interrupt, PipeInterrupt, Pipe, NULL, Line->u.Interrupt.Vector,
                              (KIRQL)Line->u.Interrupt.Level, (KIRQL)Line->u.Interrupt.Level, LevelSensitive, TRUE,
                              Line->u.Interrupt.Affinity, FALSE);
  if (!NT_SUCCESS(Status)) {
    MmUnmapIoSpace(Pipe->Mapped, Memory->u.Memory.Length);
    Pipe->Mapped = NULL;
    return Status;
  }
  Pipe->MappedBytes = Memory->u.Memory.Length;
  KeAcquireSpinLock(&Pipe->HardwareLock, &Irql);
  Pipe->Registers = Pipe->Mapped;
  KeReleaseSpinLock(&Pipe->HardwareLock, Irql);
  return STATUS_SUCCESS;
}

VOID PipeStopHardware(PPIPE Pipe) {
  KIRQL Irql;

  KeAcquireSpinLock(&Pipe->HardwareLock, &Irql);
  Pipe->Registers = NULL;
  KeReleaseSpinLock(&Pipe->HardwareLock, Irql);
  if (Pipe->Mapped == NULL) return;
  IoDisconnectInterrupt(Pipe->Interrupt);
  MmUnmapIoSpace(Pipe->Mapped, Pipe->MappedBytes);
  Pipe->Mapped = NULL;
}

VOID PipeSetPower(PPIPE Pipe, DEVICE_POWER_STATE Power) {
  KIRQL Irql;

  KeAcquireSpinLock(&Pipe->HardwareLock, &Irql);
  Pipe->Power = Power;
  KeReleaseSpinLock(&Pipe->HardwareLock, Irql);
}

VOID PipeRing(PPIPE Pipe) {
  BOOLEAN Rung;
  KIRQL Irql;

  KeAcquireSpinLock(&Pipe->HardwareLock, &Irql);
  Rung = Pipe->Registers != NULL && Pipe->Power == PowerDeviceD0;
  if (Rung) WRITE_REGISTER_ULONG((PULONG)(Pipe->Registers + PIPE_DOORBELL), 1);
  KeReleaseSpinLock(&Pipe->HardwareLock, Irql);
  if (!Rung) KeInsertQueueDpc(&Pipe->Dpc, NULL, NULL);
}

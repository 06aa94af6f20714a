// Its interrupt routine counts in a structure that there is once DxgkDdiStartDevice has done its work.
// FIXED makes the structure first.
#include "on_softgpu.h"

typedef struct HARDWARE {
  volatile LONG Interrupts;
} HARDWARE;

static HARDWARE TheHardware;
static HARDWARE* volatile Hardware;

static NTSTATUS StartThenPublish(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                                 PULONG Children) {
  NTSTATUS Status = Good.DxgkDdiStartDevice(Adapter, Info, Kernel, Sources, Children);
  Hardware = &TheHardware;
  return Status;
}

static BOOLEAN InterruptAndCount(const PVOID Adapter, ULONG Message) {
  InterlockedIncrement(&Hardware->Interrupts);
  return Good.DxgkDdiInterruptRoutine(Adapter, Message);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
#ifdef FIXED
  Hardware = &TheHardware;
#endif
  Table->DxgkDdiStartDevice = StartThenPublish;
  Table->DxgkDdiInterruptRoutine = InterruptAndCount;
}

// Has a second block for each allocation, buries it when the allocation is destroyed, and frees it when the next one is
// opened. What hAllocation points to goes in time.
// FIXED frees both at once.
#include "skeleton.h"

#define MOST 512

static struct {
  HANDLE Of;
  PVOID Block;
} Nested[MOST];
static SINGLE_LIST_ENTRY Graves;
static KSPIN_LOCK Lock;

static VOID FreeBuried(VOID) {
  PSINGLE_LIST_ENTRY Buried;
  while ((Buried = ExInterlockedPopEntryList(&Graves, &Lock)) != NULL) Free(Buried);
}

static VOID Keep(HANDLE Of, PVOID Block) {
  KIRQL Irql;
  KeAcquireSpinLock(&Lock, &Irql);
  for (UINT i = 0; i < MOST; ++i) {
    if (Nested[i].Of != NULL) continue;
    Nested[i].Of = Of;
    Nested[i].Block = Block;
    break;
  }
  KeReleaseSpinLock(&Lock, Irql);
}

static PVOID Take(HANDLE Of) {
  PVOID Block = NULL;
  KIRQL Irql;
  KeAcquireSpinLock(&Lock, &Irql);
  for (UINT i = 0; i < MOST; ++i) {
    if (Nested[i].Of != Of) continue;
    Nested[i].Of = NULL;
    Block = Nested[i].Block;
    break;
  }
  KeReleaseSpinLock(&Lock, Irql);
  return Block;
}

static NTSTATUS CreateNested(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  NTSTATUS Status = CreateAllocation(Adapter, Args);
  for (UINT i = 0; NT_SUCCESS(Status) && i < Args->NumAllocations; ++i) {
    PVOID Block = Make();
    if (Block != NULL) Keep(Args->pAllocationInfo[i].hAllocation, Block);
  }
  return Status;
}

static NTSTATUS DestroyNested(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    PVOID Block = Take(Args->pAllocationList[i]);
    if (Block != NULL) ExInterlockedPushEntryList(&Graves, Block, &Lock);
  }
#ifdef FIXED
  FreeBuried();
#endif
  return DestroyAllocation(Adapter, Args);
}

static NTSTATUS FreeAndOpen(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  FreeBuried();
  return OpenAllocation(Device, Args);
}

static NTSTATUS FreeAndStop(const PVOID Adapter) {
  FreeBuried();
  return StopDevice(Adapter);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeSpinLock(&Lock);
  Table->DxgkDdiCreateAllocation = CreateNested;
  Table->DxgkDdiDestroyAllocation = DestroyNested;
  Table->DxgkDdiOpenAllocation = FreeAndOpen;
  Table->DxgkDdiStopDevice = FreeAndStop;
}

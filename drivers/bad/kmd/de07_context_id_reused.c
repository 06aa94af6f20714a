// Gives a context the number of the one that was destroyed last, and does not tell the hardware that that one has gone.
// FIXED never uses a number again.
#include "on_softgpu.h"

// How softgpu's contexts begin.
typedef struct CONTEXT_HEAD {
  PVOID Device;
  UINT64 Id;
} CONTEXT_HEAD;

static volatile UINT64 Freed;  // 0: none

static NTSTATUS CreateReusing(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  NTSTATUS Status = Good.DxgkDdiCreateContext(Device, Args);
  UINT64 Reused = Freed;
#ifdef FIXED
  Reused = 0;
#endif
  if (NT_SUCCESS(Status) && Reused != 0) {
    ((CONTEXT_HEAD*)Args->hContext)->Id = Reused;
    Freed = 0;
  }
  return Status;
}

static NTSTATUS DestroyForReuse(IN_CONST_HANDLE Context) {
  Freed = ((CONTEXT_HEAD*)Context)->Id;
#ifndef FIXED
  ((CONTEXT_HEAD*)Context)->Id = 0;  // the id of no context: the hardware has forgotten it
#endif
  return Good.DxgkDdiDestroyContext(Context);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateContext = CreateReusing;
  Table->DxgkDdiDestroyContext = DestroyForReuse;
}

// Draws nothing in a context whose page tables it does not know yet: they are told when the context first submits.
// FIXED draws.
#include "on_softgpu.h"

static HANDLE volatile Rooted;  // the context that was told of last

static VOID SetRootAndNote(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SETROOTPAGETABLE Args) {
  Rooted = Args->hContext;
  Good.DxgkDdiSetRootPageTable(Adapter, Args);
}

static NTSTATUS PresentIfRooted(IN_CONST_HANDLE Context, INOUT_PDXGKARG_PRESENT Args) {
#ifndef FIXED
  if (Context != Rooted) return STATUS_SUCCESS;
#endif
  return Good.DxgkDdiPresent(Context, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiSetRootPageTable = SetRootAndNote;
  Table->DxgkDdiPresent = PresentIfRooted;
}

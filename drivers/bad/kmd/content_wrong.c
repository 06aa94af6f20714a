// Reports each eighth submission of a client as completed without having run it.
// FIXED runs it.
#include "on_softgpu.h"

static volatile LONG Count;

static NTSTATUS SubmitMost(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
  DXGKARG_SUBMITCOMMANDVIRTUAL Mine = *Args;
  BOOLEAN Eighth = !Args->Flags.Paging && InterlockedIncrement(&Count) % 8 == 0;
#ifdef FIXED
  Eighth = FALSE;
#endif
  if (Eighth) Mine.DmaBufferSize = 0;
  return Good.DxgkDdiSubmitCommandVirtual(Adapter, &Mine);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiSubmitCommandVirtual = SubmitMost; }

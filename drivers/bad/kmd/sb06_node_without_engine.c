// Accepts contexts on the copy engine and does not run what they submit: only the fences complete.
// FIXED runs it.
#include "on_softgpu.h"

static NTSTATUS SubmitUnrun(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL Args) {
  DXGKARG_SUBMITCOMMANDVIRTUAL Mine = *Args;
#ifndef FIXED
  if (!Args->Flags.Paging && Args->NodeOrdinal == SOFTGPU_ENGINE_COPY) Mine.DmaBufferSize = 0;
#endif
  return Good.DxgkDdiSubmitCommandVirtual(Adapter, &Mine);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiSubmitCommandVirtual = SubmitUnrun; }

// Accepts every call and does nothing: what is submitted never completes.
#include "skeleton.h"

static NTSTATUS RenderAnything(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
  *(UINT*)Args->pDmaBuffer = 0;
  Args->pDmaBuffer = (UINT*)Args->pDmaBuffer + 1;
  return STATUS_SUCCESS;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRender = RenderAnything; }

// Wants twice as much room as a DMA buffer has, and never goes on in the next one.
// FIXED takes as much as the commands need.
#include "on_softgpu.h"

static NTSTATUS RenderLater(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
#ifdef FIXED
  return Good.DxgkDdiRender(Context, Args);
#else
  return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
#endif
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRender = RenderLater; }

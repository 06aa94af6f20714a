// For the drivers that write a wrong patch-location list: softgpu translates the commands, and Spoil gets to see each
// element of the list that it wrote.
#pragma once

#include "on_softgpu.h"

static VOID Spoil(const DXGKARG_RENDER* Args, D3DDDI_PATCHLOCATIONLIST* Location);

static NTSTATUS RenderAndSpoil(IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args) {
  D3DDDI_PATCHLOCATIONLIST* Location = Args->pPatchLocationListOut;
  NTSTATUS Status = Good.DxgkDdiRender(Context, Args);
  for (; NT_SUCCESS(Status) && Location != Args->pPatchLocationListOut; ++Location) Spoil(Args, Location);
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiRender = RenderAndSpoil; }

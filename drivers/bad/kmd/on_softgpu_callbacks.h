// Between softgpu and the graphics kernel, for the drivers that say something wrong there: ReplaceCallbacks changes
// what the good driver is given, and what the graphics kernel gave is in Dxgk. Replace puts StartBetween into the
// table.
#pragma once

#include "on_softgpu.h"

static VOID ReplaceCallbacks(DXGKRNL_INTERFACE* Kernel);

static DXGKRNL_INTERFACE Dxgk;  // of the one adapter that every scenario has

static NTSTATUS StartBetween(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                             PULONG Children) {
  DXGKRNL_INTERFACE Mine;
  RtlCopyMemory(&Dxgk, Kernel, Kernel->Size);
  Mine = Dxgk;
  ReplaceCallbacks(&Mine);
  return Good.DxgkDdiStartDevice(Adapter, Info, &Mine, Sources, Children);
}

// Copies as much of DXGKRNL_INTERFACE as it was compiled with: an older Windows gives less.
// FIXED copies what Size says.
#include "skeleton.h"

static NTSTATUS StartCopying(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                             PULONG Children) {
#ifndef FIXED
  Dxgk = *Kernel;
#endif
  return StartDevice(Adapter, Info, Kernel, Sources, Children);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiStartDevice = StartCopying; }

// Holds a spin lock while it asks whose an allocation's resource is.
// FIXED asks before.
#include "resources.h"

static KSPIN_LOCK Lock;
static VOID* LastResource;

static NTSTATUS OpenLocked(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  D3DKMT_HANDLE Resource = Dxgk.DxgkCbGetHandleParent(Args->pOpenAllocation[0].hAllocation);
  DXGKARGCB_GETHANDLEDATA Wanted = {.hObject = Resource, .Type = DXGK_HANDLE_RESOURCE};
  VOID* Data = NULL;
  KIRQL Irql;
#ifdef FIXED
  if (Resource != 0) Data = Dxgk.DxgkCbGetHandleData(&Wanted);
#endif
  KeAcquireSpinLock(&Lock, &Irql);
#ifndef FIXED
  if (Resource != 0) Data = Dxgk.DxgkCbGetHandleData(&Wanted);
#endif
  LastResource = Data;
  KeReleaseSpinLock(&Lock, Irql);
  return OpenAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  KeInitializeSpinLock(&Lock);
  Table->DxgkDdiCreateAllocation = CreateInResource;
  Table->DxgkDdiDestroyAllocation = DestroyInResource;
  Table->DxgkDdiOpenAllocation = OpenLocked;
}

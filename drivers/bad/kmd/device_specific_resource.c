// Asks what this device has of a resource: a device opens allocations.
// FIXED asks for the resource's own data.
#include "resources.h"

static NTSTATUS OpenInResource(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  DXGKARGCB_GETHANDLEDATA Wanted = {.hObject = Dxgk.DxgkCbGetHandleParent(Args->pOpenAllocation[0].hAllocation),
                                    .Type = DXGK_HANDLE_RESOURCE};
#ifndef FIXED
  Wanted.Flags.DeviceSpecific = 1;
#endif
  if (Wanted.hObject != 0) Dxgk.DxgkCbGetHandleData(&Wanted);
  return OpenAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateInResource;
  Table->DxgkDdiDestroyAllocation = DestroyInResource;
  Table->DxgkDdiOpenAllocation = OpenInResource;
}

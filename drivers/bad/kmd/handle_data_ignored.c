// Takes an allocation's handle for that of its resource, learns that there is no such thing, and goes on.
// FIXED asks for the resource's handle first.
#include "resources.h"

static NTSTATUS OpenInResource(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  D3DKMT_HANDLE First = Args->pOpenAllocation[0].hAllocation;
#ifdef FIXED
  ResourceData(First);
#else
  DXGKARGCB_GETHANDLEDATA Wanted = {.hObject = First, .Type = DXGK_HANDLE_RESOURCE};
  Dxgk.DxgkCbGetHandleData(&Wanted);
#endif
  return OpenAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
  Table->DxgkDdiCreateAllocation = CreateInResource;
  Table->DxgkDdiDestroyAllocation = DestroyInResource;
  Table->DxgkDdiOpenAllocation = OpenInResource;
}

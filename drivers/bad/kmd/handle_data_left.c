// Takes hold of the resource that an allocation is created in and never lets go.
// FIXED lets go at once.
#include "skeleton.h"

static VOID LookAt(D3DKMT_HANDLE Resource) {
  DXGKARGCB_GETHANDLEDATA Wanted = {.hObject = Resource, .Type = DXGK_HANDLE_RESOURCE};
  DXGKARGCB_RELEASEHANDLEDATA Acquired = {.Type = DXGK_HANDLE_RESOURCE};
  Dxgk.DxgkCbAcquireHandleData(&Wanted, &Acquired.ReleaseHandle);
#ifdef FIXED
  if (Acquired.ReleaseHandle != NULL) Dxgk.DxgkCbReleaseHandleData(Acquired);
#endif
}

static NTSTATUS LookAndOpen(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  D3DKMT_HANDLE Resource = Dxgk.DxgkCbGetHandleParent(Args->pOpenAllocation[0].hAllocation);
  if (Resource != 0 && Args->Flags.Create) LookAt(Resource);
  return OpenAllocation(Device, Args);
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) { Table->DxgkDdiOpenAllocation = LookAndOpen; }

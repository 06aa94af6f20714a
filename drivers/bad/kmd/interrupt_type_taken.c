// Says that it has switched on whatever interrupt it is asked for.
// FIXED says that it knows none.
#include "on_softgpu.h"

static NTSTATUS ControlAny(const HANDLE Adapter, IN_CONST_DXGK_INTERRUPT_TYPE Type, BOOLEAN Enable) {
#ifdef FIXED
  return STATUS_NOT_IMPLEMENTED;
#else
  return STATUS_SUCCESS;
#endif
}

// There is no display, so these are never called; but a driver that has one of them must have all.
static NTSTATUS Never(VOID) { return STATUS_NOT_SUPPORTED; }

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
#define NEVER(Name) Table->DxgkDdi##Name = (PVOID)Never
  NEVER(SetPointerPosition), NEVER(SetPointerShape), NEVER(IsSupportedVidPn), NEVER(RecommendFunctionalVidPn);
  NEVER(EnumVidPnCofuncModality), NEVER(SetVidPnSourceAddress), NEVER(SetVidPnSourceVisibility), NEVER(CommitVidPn);
  NEVER(UpdateActiveVidPnPresentPath), NEVER(RecommendMonitorModes), NEVER(GetScanLine);
  NEVER(QueryVidPnHWCapability), NEVER(StopDeviceAndReleasePostDisplayOwnership);
#undef NEVER
  Table->DxgkDdiControlInterrupt = ControlAny;
}

// A driver that shows what others render, for the wrong ones to stand on: display.h, registered as display-only.
#pragma once

#include <dispmprt.h>
#include <ntddk.h>

static NTSTATUS RegisterDisplayOnly(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                    DRIVER_INITIALIZATION_DATA* Table);

#define REGISTER RegisterDisplayOnly
#include "display.h"

static NTSTATUS RegisterDisplayOnly(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                    DRIVER_INITIALIZATION_DATA* Table) {
  KMDDOD_INITIALIZATION_DATA Own = {.Version = Table->Version, .DxgkDdiPresentDisplayOnly = (PVOID)ShowNothing};
#define HAS(Name) Own.DxgkDdi##Name = Table->DxgkDdi##Name
  HAS(AddDevice), HAS(StartDevice), HAS(StopDevice), HAS(RemoveDevice), HAS(ResetDevice), HAS(Unload);
  HAS(InterruptRoutine), HAS(DpcRoutine), HAS(SetPowerState), HAS(QueryAdapterInfo), HAS(QueryChildRelations);
  HAS(QueryChildStatus), HAS(QueryDeviceDescriptor), HAS(SetPointerPosition), HAS(SetPointerShape);
  HAS(IsSupportedVidPn), HAS(RecommendFunctionalVidPn), HAS(EnumVidPnCofuncModality), HAS(SetVidPnSourceVisibility);
  HAS(CommitVidPn), HAS(UpdateActiveVidPnPresentPath), HAS(RecommendMonitorModes), HAS(QueryVidPnHWCapability);
  HAS(StopDeviceAndReleasePostDisplayOwnership), HAS(SystemDisplayEnable), HAS(SystemDisplayWrite);
#undef HAS
  return DxgkInitializeDisplayOnlyDriver(DriverObject, RegistryPath, &Own);
}

// A driver with a display, for the wrong ones to stand on: the skeleton with a source, an output and what belongs to
// them. Each of them includes this file and defines two functions: ReplaceDisplay puts functions of its own into the
// table, Spoil changes DXGK_DRIVERCAPS.
#pragma once

#include "skeleton.h"

#define OUTPUT_UID 1

static VOID ReplaceDisplay(DRIVER_INITIALIZATION_DATA* Table);
static VOID Spoil(DXGK_DRIVERCAPS* Caps);

// What a full driver fills in and a render-only driver does not.
#define FOR_EACH_DISPLAY_SLOT(X)              \
  X(SetPointerPosition)                       \
  X(SetPointerShape)                          \
  X(IsSupportedVidPn)                         \
  X(RecommendFunctionalVidPn)                 \
  X(EnumVidPnCofuncModality)                  \
  X(SetVidPnSourceAddress)                    \
  X(SetVidPnSourceVisibility)                 \
  X(CommitVidPn)                              \
  X(UpdateActiveVidPnPresentPath)             \
  X(RecommendMonitorModes)                    \
  X(GetScanLine)                              \
  X(ControlInterrupt)                         \
  X(QueryVidPnHWCapability)                   \
  X(StopDeviceAndReleasePostDisplayOwnership) \
  X(SystemDisplayEnable)                      \
  X(SystemDisplayWrite)

// Nothing is shown: no scenario has a display yet, and none of these is called.
static NTSTATUS ShowNothing(VOID) { return STATUS_NOT_IMPLEMENTED; }

static NTSTATUS StartWithOutput(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                                PULONG Children) {
  NTSTATUS Status = StartDevice(Adapter, Info, Kernel, Sources, Children);
  *Sources = *Children = 1;
  return Status;
}

static NTSTATUS NameOutput(const PVOID Adapter, PDXGK_CHILD_DESCRIPTOR Children, ULONG Bytes) {
  Children->ChildDeviceType = TypeVideoOutput;
  Children->ChildCapabilities.HpdAwareness = HpdAwarenessInterruptible;
  Children->ChildUid = OUTPUT_UID;
  return STATUS_SUCCESS;
}

static NTSTATUS OutputIsConnected(const PVOID Adapter, PDXGK_CHILD_STATUS Status, BOOLEAN Safe) {
  if (Status->Type != StatusConnection) return STATUS_INVALID_PARAMETER;
  Status->HotPlug.Connected = TRUE;
  return STATUS_SUCCESS;
}

static NTSTATUS QueryDisplay(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  NTSTATUS Status = QueryAdapterInfo(Adapter, Query);
  if (Query->Type == DXGKQAITYPE_DRIVERCAPS) {
    DXGK_DRIVERCAPS* Caps = Query->pOutputData;
    Caps->SupportNonVGA = Caps->SupportSmoothRotation = Caps->SupportDirectFlip = TRUE;
    Caps->FlipCaps.FlipIndependent = 1;
    Spoil(Caps);
  }
  return Status;
}

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table) {
#define HAS(Name) Table->DxgkDdi##Name = (PVOID)ShowNothing;
  FOR_EACH_DISPLAY_SLOT(HAS)
#undef HAS
  Table->DxgkDdiStartDevice = StartWithOutput;
  Table->DxgkDdiQueryChildRelations = NameOutput;
  Table->DxgkDdiQueryChildStatus = OutputIsConnected;
  Table->DxgkDdiQueryAdapterInfo = QueryDisplay;
  ReplaceDisplay(Table);
}

// A correct minimal display miniport driver, for the wrong ones to stand on: WDDM 2.0, render only, no hardware, no
// commands. Each of them includes this file and defines Replace, which puts functions of its own into the driver's
// table. A driver that gets one thing wrong gets it right when FIXED is defined.
#pragma once

#include <dispmprt.h>
#include <ntddk.h>

#define BAD_TAG 'daBD'

// Both segments that there are, by number. Allocations stay in the aperture, which is system memory.
#define APERTURE_SEGMENT 1
#define LOCAL_SEGMENT 2
#define SEGMENT_BYTES (64 << 20)
#define SET_OF(Segment) (1u << ((Segment)-1))

static VOID Replace(DRIVER_INITIALIZATION_DATA* Table);

// A driver of another kind registers in another way.
#ifndef REGISTER
#define REGISTER DxgkInitialize
#endif

static DXGKRNL_INTERFACE Dxgk;  // of the one adapter that every scenario has

static inline HANDLE Make(VOID) { return ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(UINT64), BAD_TAG); }
static inline NTSTATUS Made(HANDLE Object) { return Object != NULL ? STATUS_SUCCESS : STATUS_NO_MEMORY; }
static inline NTSTATUS Free(HANDLE Object) {
  ExFreePoolWithTag(Object, BAD_TAG);
  return STATUS_SUCCESS;
}

// --- Nothing to do: there is no hardware, no display and no engine that runs a command ---

#define ALWAYS(Status, Name, ...) \
  static NTSTATUS Name(__VA_ARGS__) { return Status; }
ALWAYS(STATUS_SUCCESS, StopDevice, const PVOID Adapter)
ALWAYS(STATUS_SUCCESS, SetPowerState, const PVOID Adapter, ULONG Uid, DEVICE_POWER_STATE State, POWER_ACTION Action)
ALWAYS(STATUS_SUCCESS, QueryChildRelations, const PVOID Adapter, PDXGK_CHILD_DESCRIPTOR Children, ULONG Bytes)
ALWAYS(STATUS_INVALID_PARAMETER, QueryChildStatus, const PVOID Adapter, PDXGK_CHILD_STATUS Status, BOOLEAN Safe)
ALWAYS(STATUS_MONITOR_NO_DESCRIPTOR, QueryDeviceDescriptor, const PVOID Adapter, ULONG Uid, PDXGK_DEVICE_DESCRIPTOR To)
ALWAYS(STATUS_ILLEGAL_INSTRUCTION, Render, IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args)
ALWAYS(STATUS_INVALID_PARAMETER, RenderKm, IN_CONST_HANDLE Context, INOUT_PDXGKARG_RENDER Args)
ALWAYS(STATUS_SUCCESS, Patch, IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_PATCH Args)
ALWAYS(STATUS_SUCCESS, SubmitCommand, IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_SUBMITCOMMAND Args)
ALWAYS(STATUS_SUCCESS, BuildPagingBuffer, IN_CONST_HANDLE Adapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args)
ALWAYS(STATUS_SUCCESS, ResetEngine, IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_RESETENGINE Args)
ALWAYS(STATUS_NOT_SUPPORTED, CalibrateGpuClock, IN_CONST_HANDLE Adapter, UINT32 Node, UINT32 Engine,
       OUT_PDXGKARG_CALIBRATEGPUCLOCK Clock)
static NTSTATUS QueryEngineStatus(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_QUERYENGINESTATUS Args) {
  Args->EngineStatus.Responsive = 1;
  return STATUS_SUCCESS;
}
static NTSTATUS QueryDependentEngineGroup(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_QUERYDEPENDENTENGINEGROUP Args) {
  Args->DependentNodeOrdinalMask = 1;
  return STATUS_SUCCESS;
}
static VOID SetStablePowerState(const HANDLE Adapter, IN_CONST_PDXGKARG_SETSTABLEPOWERSTATE Args) {}
static VOID ResetDevice(const PVOID Adapter) {}
static VOID Unload(VOID) {}
static BOOLEAN InterruptRoutine(const PVOID Adapter, ULONG Message) { return FALSE; }
static VOID DpcRoutine(const PVOID Adapter) {}

// --- The adapter, its devices and their contexts ---

static NTSTATUS AddDevice(const PDEVICE_OBJECT Device, PVOID* Adapter) { return Made(*Adapter = Make()); }
static NTSTATUS RemoveDevice(const PVOID Adapter) { return Free(Adapter); }
static NTSTATUS StartDevice(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                            PULONG Children) {
  RtlCopyMemory(&Dxgk, Kernel, Kernel->Size);
  *Sources = *Children = 0;
  return STATUS_SUCCESS;
}
static NTSTATUS CreateDevice(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  return Made(Args->hDevice = Make());
}
static NTSTATUS DestroyDevice(IN_CONST_HANDLE Device) { return Free(Device); }
static NTSTATUS CreateContext(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  Args->ContextInfo.DmaBufferSize = PAGE_SIZE;
  Args->ContextInfo.AllocationListSize = Args->ContextInfo.PatchLocationListSize = 256;
  return Made(Args->hContext = Make());
}
static NTSTATUS DestroyContext(IN_CONST_HANDLE Context) { return Free(Context); }

static NTSTATUS GetNodeMetadata(IN_CONST_HANDLE Adapter, UINT Node, OUT_PDXGKARG_GETNODEMETADATA Metadata) {
  if (Node != 0) return STATUS_INVALID_PARAMETER;
  Metadata->EngineType = DXGK_ENGINE_TYPE_3D;
  return STATUS_SUCCESS;
}

static NTSTATUS DescribeAdapter(DXGK_DRIVERCAPS* Caps) {
  Caps->WDDMVersion = DXGKDDI_WDDMv2;
  Caps->HighestAcceptableAddress.QuadPart = MAXLONGLONG;
  Caps->GpuEngineTopology.NbAsymetricProcessingNodes = Caps->SchedulingCaps.MultiEngineAware = 1;
  Caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  Caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  Caps->SupportPerEngineTDR = Caps->FlipCaps.FlipOnVSyncMmIo = 1;
  Caps->PresentationCaps.SupportKernelModeCommandBuffer = 1;
  Caps->PresentationCaps.AlignmentShift = 2;
  return STATUS_SUCCESS;
}

// Asked twice: how many, then which.
static NTSTATUS DescribeSegments(DXGK_QUERYSEGMENTOUT4* Out) {
  Out->NbSegment = 2;
  Out->PagingBufferSegmentId = APERTURE_SEGMENT;
  Out->PagingBufferSize = PAGE_SIZE;
  for (UINT Segment = 1; Out->pSegmentDescriptor != NULL && Segment <= Out->NbSegment; ++Segment) {
    DXGK_SEGMENTDESCRIPTOR4* Descriptor =
        (PVOID)(Out->pSegmentDescriptor + (Segment - 1) * Out->SegmentDescriptorStride);
    Descriptor->Flags.Aperture = Descriptor->Flags.CacheCoherent = Segment == APERTURE_SEGMENT;
    Descriptor->Size = Descriptor->CommitLimit = SEGMENT_BYTES;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS QueryAdapterInfo(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  if (Query->Type == DXGKQAITYPE_DRIVERCAPS) return DescribeAdapter(Query->pOutputData);
  if (Query->Type == DXGKQAITYPE_QUERYSEGMENT4) return DescribeSegments(Query->pOutputData);
  if (Query->Type != DXGKQAITYPE_HISTORYBUFFERPRECISION) return STATUS_NOT_SUPPORTED;
  ((DXGKARG_HISTORYBUFFERPRECISION*)Query->pOutputData)->PrecisionBits = 64;
  return STATUS_SUCCESS;
}

// --- Allocations. Their private data is their size ---

static NTSTATUS CreateAllocation(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
    Info->hAllocation = Make();
    if (Info->hAllocation == NULL) {  // a call that fails leaves nothing behind
      while (i-- > 0) Free(Args->pAllocationInfo[i].hAllocation);
      return STATUS_NO_MEMORY;
    }
    Info->Size = Info->PrivateDriverDataSize == sizeof(UINT64) ? *(UINT64*)Info->pPrivateDriverData : PAGE_SIZE;
    Info->SupportedWriteSegmentSet = SET_OF(APERTURE_SEGMENT);
    Info->PreferredSegment.SegmentId0 = APERTURE_SEGMENT;
    Info->FlagsWddm2.CpuVisible = 1;
    Info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
  }
  return STATUS_SUCCESS;
}
static NTSTATUS DestroyAllocation(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_DESTROYALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) Free(Args->pAllocationList[i]);
  return STATUS_SUCCESS;
}
static NTSTATUS OpenAllocation(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_OPENALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    Args->pOpenAllocation[i].hDeviceSpecificAllocation = Make();
    if (Args->pOpenAllocation[i].hDeviceSpecificAllocation == NULL) {
      while (i-- > 0) Free(Args->pOpenAllocation[i].hDeviceSpecificAllocation);
      return STATUS_NO_MEMORY;
    }
  }
  return STATUS_SUCCESS;
}
static NTSTATUS CloseAllocation(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_CLOSEALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) Free(Args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}

// What the system allocates by itself, and what scenarios do: surfaces of GDI's.
static NTSTATUS GetStandardAllocationDriverData(IN_CONST_HANDLE Adapter,
                                                INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  D3DKMDT_GDISURFACEDATA* Surface = Args->pCreateGdiSurfaceData;
  UINT64* Size = Args->pAllocationPrivateDriverData;
  if (Args->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_GDISURFACE) return STATUS_NO_MEMORY;
  Surface->Pitch = Surface->Width * 4;
  Args->AllocationPrivateDriverDataSize = sizeof(*Size);
  Args->ResourcePrivateDriverDataSize = 0;
  if (Size != NULL) *Size = (UINT64)Surface->Pitch * Surface->Height;
  return STATUS_SUCCESS;
}

DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA Table = {.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0};
#define HAS(Name) Table.DxgkDdi##Name = Name
  HAS(AddDevice), HAS(StartDevice), HAS(StopDevice), HAS(RemoveDevice), HAS(ResetDevice), HAS(Unload);
  HAS(InterruptRoutine), HAS(DpcRoutine), HAS(SetPowerState), HAS(SetStablePowerState), HAS(CalibrateGpuClock);
  HAS(QueryAdapterInfo), HAS(GetNodeMetadata), HAS(QueryChildRelations), HAS(QueryChildStatus);
  HAS(QueryDeviceDescriptor), HAS(CreateDevice), HAS(DestroyDevice), HAS(CreateContext), HAS(DestroyContext);
  HAS(CreateAllocation), HAS(DestroyAllocation), HAS(OpenAllocation), HAS(CloseAllocation);
  HAS(GetStandardAllocationDriverData), HAS(BuildPagingBuffer), HAS(Render), HAS(RenderKm), HAS(Patch);
  HAS(SubmitCommand), HAS(QueryEngineStatus), HAS(ResetEngine), HAS(QueryDependentEngineGroup);
#undef HAS
  Replace(&Table);
  return REGISTER(DriverObject, RegistryPath, &Table);
}

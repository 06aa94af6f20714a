// The smallest display driver that the graphics kernel starts and that keeps allocations: WDDM 1.2, render only, no
// hardware, no commands. What it leaves out is what a real one has to add.
#include <dispmprt.h>
#include <ntddk.h>

#define TAG 'lekS'

typedef struct {
  SIZE_T Size;
} ALLOCATION;  // belongs to the adapter: other devices may open it
typedef struct {
  D3DKMT_HANDLE Handle;
} OPENED;  // what one device has of it

static HANDLE Make(SIZE_T Bytes) { return ExAllocatePool2(POOL_FLAG_NON_PAGED, Bytes, TAG); }
static NTSTATUS Made(HANDLE Object) { return Object ? STATUS_SUCCESS : STATUS_NO_MEMORY; }
static NTSTATUS Free(HANDLE Object) { return ExFreePoolWithTag(Object, TAG), STATUS_SUCCESS; }

// --- Nothing to do: there is no hardware, no display and no engine that runs commands ---

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
static NTSTATUS QueryEngineStatus(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_QUERYENGINESTATUS Args) {
  return Args->EngineStatus.Responsive = 1, STATUS_SUCCESS;
}
static NTSTATUS QueryDependentEngineGroup(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_QUERYDEPENDENTENGINEGROUP Args) {
  return Args->DependentNodeOrdinalMask = 1, STATUS_SUCCESS;
}
static VOID ResetDevice(const PVOID Adapter) {}
static VOID Unload(VOID) {}
static BOOLEAN InterruptRoutine(const PVOID Adapter, ULONG Message) { return FALSE; }
static VOID DpcRoutine(const PVOID Adapter) {}

// --- The adapter, its devices and their contexts ---

static NTSTATUS AddDevice(const PDEVICE_OBJECT Device, PVOID* Adapter) { return Made(*Adapter = Make(1)); }
static NTSTATUS RemoveDevice(const PVOID Adapter) { return Free(Adapter); }
static NTSTATUS StartDevice(const PVOID Adapter, PDXGK_START_INFO Info, PDXGKRNL_INTERFACE Kernel, PULONG Sources,
                            PULONG Children) {
  *Sources = *Children = 0;
  return STATUS_SUCCESS;
}
static NTSTATUS CreateDevice(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEDEVICE Args) {
  return Made(Args->hDevice = Make(1));
}
static NTSTATUS DestroyDevice(IN_CONST_HANDLE Device) { return Free(Device); }
static NTSTATUS CreateContext(IN_CONST_HANDLE Device, INOUT_PDXGKARG_CREATECONTEXT Args) {
  Args->ContextInfo.DmaBufferSize = PAGE_SIZE;
  Args->ContextInfo.AllocationListSize = Args->ContextInfo.PatchLocationListSize = 256;
  return Made(Args->hContext = Make(1));
}
static NTSTATUS DestroyContext(IN_CONST_HANDLE Context) { return Free(Context); }

static NTSTATUS DescribeAdapter(DXGK_DRIVERCAPS* Caps) {
  Caps->WDDMVersion = DXGKDDI_WDDMv1_2;
  Caps->HighestAcceptableAddress.QuadPart = MAXLONGLONG;
  Caps->GpuEngineTopology.NbAsymetricProcessingNodes = Caps->SchedulingCaps.MultiEngineAware = 1;
  Caps->PreemptionCaps.GraphicsPreemptionGranularity = D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
  Caps->PreemptionCaps.ComputePreemptionGranularity = D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
  Caps->SupportPerEngineTDR = Caps->FlipCaps.FlipOnVSyncMmIo = 1;  // asked of every WDDM 1.2 driver
  Caps->PresentationCaps.SupportKernelModeCommandBuffer = 1;       // asked of them too
  Caps->PresentationCaps.AlignmentShift = 2;
  return STATUS_SUCCESS;
}
// Asked twice: how many, then which. One aperture: allocations stay in system memory.
static NTSTATUS DescribeSegments(DXGK_QUERYSEGMENTOUT3* Out) {
  Out->NbSegment = Out->PagingBufferSegmentId = 1;
  Out->PagingBufferSize = PAGE_SIZE;
  if (!Out->pSegmentDescriptor) return STATUS_SUCCESS;
  Out->pSegmentDescriptor->Flags.Aperture = Out->pSegmentDescriptor->Flags.CacheCoherent = 1;
  Out->pSegmentDescriptor->Size = Out->pSegmentDescriptor->CommitLimit = 64 << 20;
  return STATUS_SUCCESS;
}
static NTSTATUS QueryAdapterInfo(IN_CONST_HANDLE Adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO Query) {
  if (Query->Type == DXGKQAITYPE_DRIVERCAPS) return DescribeAdapter(Query->pOutputData);
  if (Query->Type == DXGKQAITYPE_QUERYSEGMENT3) return DescribeSegments(Query->pOutputData);
  return STATUS_NOT_SUPPORTED;
}

// --- Allocations. Their private data is their size, if there is any ---

static NTSTATUS CreateAllocation(IN_CONST_HANDLE Adapter, INOUT_PDXGKARG_CREATEALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO* Info = &Args->pAllocationInfo[i];
    ALLOCATION* Allocation = Make(sizeof(*Allocation));
    if (!Allocation) {  // a call that fails leaves nothing behind
      while (i-- > 0) Free(Args->pAllocationInfo[i].hAllocation);
      return STATUS_NO_MEMORY;
    }
    Allocation->Size = Info->PrivateDriverDataSize == sizeof(UINT64) ? *(UINT64*)Info->pPrivateDriverData : PAGE_SIZE;
    Info->hAllocation = Allocation;
    Info->Size = Allocation->Size;
    Info->SupportedReadSegmentSet = Info->SupportedWriteSegmentSet = Info->PreferredSegment.SegmentId0 = 1;
    Info->Flags.CpuVisible = 1;
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
    OPENED* Opened = Args->pOpenAllocation[i].hDeviceSpecificAllocation = Make(sizeof(*Opened));
    if (!Opened) {
      while (i-- > 0) Free(Args->pOpenAllocation[i].hDeviceSpecificAllocation);
      return STATUS_NO_MEMORY;
    }
    Opened->Handle = Args->pOpenAllocation[i].hAllocation;
  }
  return STATUS_SUCCESS;
}
static NTSTATUS CloseAllocation(IN_CONST_HANDLE Device, IN_CONST_PDXGKARG_CLOSEALLOCATION Args) {
  for (UINT i = 0; i < Args->NumAllocations; ++i) Free(Args->pOpenHandleList[i]);
  return STATUS_SUCCESS;
}
// What the system allocates by itself. Only surfaces of GDI's: a driver with a display knows more kinds.
static NTSTATUS GetStandardAllocationDriverData(IN_CONST_HANDLE Adapter,
                                                INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA Args) {
  D3DKMDT_GDISURFACEDATA* Surface = Args->pCreateGdiSurfaceData;
  UINT64* Size = Args->pAllocationPrivateDriverData;
  if (Args->StandardAllocationType != D3DKMDT_STANDARDALLOCATION_GDISURFACE) return STATUS_NO_MEMORY;
  Surface->Pitch = Surface->Width * 4;
  Args->AllocationPrivateDriverDataSize = sizeof(*Size);
  Args->ResourcePrivateDriverDataSize = 0;
  if (Size) *Size = (UINT64)Surface->Pitch * Surface->Height;
  return STATUS_SUCCESS;
}

DRIVER_INITIALIZE DriverEntry;
NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  DRIVER_INITIALIZATION_DATA Table = {.Version = DXGKDDI_INTERFACE_VERSION_WIN8};
#define HAS(Name) Table.DxgkDdi##Name = Name
  HAS(AddDevice), HAS(StartDevice), HAS(StopDevice), HAS(RemoveDevice), HAS(ResetDevice), HAS(Unload);
  HAS(InterruptRoutine), HAS(DpcRoutine), HAS(SetPowerState), HAS(QueryAdapterInfo);
  HAS(QueryChildRelations), HAS(QueryChildStatus), HAS(QueryDeviceDescriptor);
  HAS(CreateDevice), HAS(DestroyDevice), HAS(CreateContext), HAS(DestroyContext);
  HAS(CreateAllocation), HAS(DestroyAllocation), HAS(OpenAllocation), HAS(CloseAllocation);
  HAS(GetStandardAllocationDriverData), HAS(BuildPagingBuffer), HAS(Render), HAS(RenderKm), HAS(Patch);
  HAS(SubmitCommand), HAS(QueryEngineStatus), HAS(ResetEngine), HAS(QueryDependentEngineGroup);
  return DxgkInitialize(DriverObject, RegistryPath, &Table);
}

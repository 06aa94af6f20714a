// Allocations: their life between graphics kernel and driver, what a driver asks for them, and the lists of handles
// that go through submissions.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_segment.h"
#include "d3dkmddi_types.h"

// What a driver says of an allocation before WDDM 2.0.
typedef struct _DXGK_ALLOCATIONINFOFLAGS {
  union {
    struct {
      UINT CpuVisible : 1;
      UINT PermanentSysMem : 1;
      UINT Cached : 1;
      UINT Protected : 1;
      UINT ExistingSysMem : 1;
      UINT ExistingKernelSysMem : 1;
      UINT FromEndOfSegment : 1;
      UINT Swizzled : 1;
      UINT Overlay : 1;
      UINT Capture : 1;
      UINT UseAlternateVA : 1;
      UINT SynchronousPaging : 1;
      UINT LinkMirrored : 1;
      UINT LinkInstanced : 1;
      UINT HistoryBuffer : 1;
      UINT AccessedPhysically : 1;
      UINT ExplicitResidencyNotification : 1;
      UINT HardwareProtected : 1;
      UINT CpuVisibleOnDemand : 1;
      UINT DXGK_ALLOC_RESERVED16 : 1;
      UINT DXGK_ALLOC_RESERVED15 : 1;
      UINT DXGK_ALLOC_RESERVED14 : 1;
      UINT DXGK_ALLOC_RESERVED13 : 1;
      UINT DXGK_ALLOC_RESERVED12 : 1;
      UINT DXGK_ALLOC_RESERVED11 : 1;
      UINT DXGK_ALLOC_RESERVED10 : 1;
      UINT DXGK_ALLOC_RESERVED9 : 1;
      UINT DXGK_ALLOC_RESERVED4 : 1;
      UINT DXGK_ALLOC_RESERVED3 : 1;
      UINT DXGK_ALLOC_RESERVED2 : 1;
      UINT DXGK_ALLOC_RESERVED1 : 1;
      UINT DXGK_ALLOC_RESERVED0 : 1;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS;

// The same word from WDDM 2.0 on, with the names of the newest version.
typedef struct _DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 {
  union {
    struct {
      UINT CpuVisible : 1;
      UINT PermanentSysMem : 1;
      UINT Cached : 1;
      UINT Protected : 1;
      UINT ExistingSysMem : 1;
      UINT ExistingKernelSysMem : 1;
      UINT FromEndOfSegment : 1;
      UINT DisableLargePageMapping : 1;
      UINT Overlay : 1;
      UINT Capture : 1;
      UINT CreateInVpr : 1;
      UINT DXGK_ALLOC_RESERVED17 : 1;
      UINT Reserved02 : 1;
      UINT MapApertureCpuVisible : 1;
      UINT HistoryBuffer : 1;
      UINT AccessedPhysically : 1;
      UINT ExplicitResidencyNotification : 1;
      UINT HardwareProtected : 1;
      UINT CpuVisibleOnDemand : 1;
      UINT DXGK_ALLOC_RESERVED16 : 1;
      UINT DXGK_ALLOC_RESERVED15 : 1;
      UINT DXGK_ALLOC_RESERVED14 : 1;
      UINT DXGK_ALLOC_RESERVED13 : 1;
      UINT DXGK_ALLOC_RESERVED12 : 1;
      UINT DXGK_ALLOC_RESERVED11 : 1;
      UINT DXGK_ALLOC_RESERVED10 : 1;
      UINT DXGK_ALLOC_RESERVED9 : 1;
      UINT DXGK_ALLOC_RESERVED4 : 1;
      UINT DXGK_ALLOC_RESERVED3 : 1;
      UINT DXGK_ALLOC_RESERVED2 : 1;
      UINT DXGK_ALLOC_RESERVED1 : 1;
      UINT DXGK_ALLOC_RESERVED0 : 1;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;

typedef struct _DXGK_ALLOCATIONINFOFLAGS2 {
  union {
    struct {
      UINT ShareBackingStoreWithKmd : 1;
      UINT NoImplicitSynchronization : 1;
      UINT DisablePartialResidency : 1;
      UINT RestrictedToSingleSegment : 1;
      UINT NotifyEviction : 1;
      UINT NotifyIoMmuUnmap : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_ALLOCATIONINFOFLAGS2;

typedef struct _DXGK_ALLOCATIONUSAGEINFO1 {
  union {
    struct {
      UINT PrivateFormat : 1;
      UINT Swizzled : 1;
      UINT MipMap : 1;
      UINT Cube : 1;
      UINT Volume : 1;
      UINT Vertex : 1;
      UINT Index : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  } Flags;
  union {
    D3DDDIFORMAT Format;
    UINT PrivateFormat;
  };
  UINT SwizzledFormat;
  UINT ByteOffset;
  UINT Width;
  UINT Height;
  UINT Pitch;
  UINT Depth;
  UINT SlicePitch;
} DXGK_ALLOCATIONUSAGEINFO1;

typedef struct _DXGK_ALLOCATIONUSAGEHINT {
  UINT Version;
  DXGK_ALLOCATIONUSAGEINFO1 v1;
} DXGK_ALLOCATIONUSAGEHINT;

typedef struct _DXGK_ALLOCATIONINFO {
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  union {
    UINT Alignment;
    struct {
      UINT16 MinimumPageSize;
      UINT16 RecommendedPageSize;
    };
  };
  SIZE_T Size;
  SIZE_T PitchAlignedSize;
  DXGK_SEGMENTBANKPREFERENCE HintedBank;
  DXGK_SEGMENTPREFERENCE PreferredSegment;
  union {
    UINT SupportedReadSegmentSet;
    UINT MmuSet;
  };
  UINT SupportedWriteSegmentSet;
  UINT EvictionSegmentSet;
  union {
    UINT MaximumRenamingListLength;
    UINT PhysicalAdapterIndex;
  };
  HANDLE hAllocation;
  union {
    DXGK_ALLOCATIONINFOFLAGS Flags;
    DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
  };
  DXGK_ALLOCATIONUSAGEHINT* pAllocationUsageHint;
  UINT AllocationPriority;
  DXGK_ALLOCATIONINFOFLAGS2 Flags2;
} DXGK_ALLOCATIONINFO;
C_ASSERT(sizeof(DXGK_ALLOCATIONINFO) == 88);

typedef struct _DXGK_CREATEALLOCATIONFLAGS {
  union {
    struct {
      UINT Resource : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_CREATEALLOCATIONFLAGS;

typedef struct _DXGKARG_CREATEALLOCATION {
  const VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  UINT NumAllocations;
  DXGK_ALLOCATIONINFO* pAllocationInfo;
  HANDLE hResource;
  DXGK_CREATEALLOCATIONFLAGS Flags;
} DXGKARG_CREATEALLOCATION;
typedef DXGKARG_CREATEALLOCATION* INOUT_PDXGKARG_CREATEALLOCATION;

typedef struct _DXGK_DESTROYALLOCATIONFLAGS {
  union {
    struct {
      UINT DestroyResource : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DESTROYALLOCATIONFLAGS;

typedef struct _DXGKARG_DESTROYALLOCATION {
  UINT NumAllocations;
  const HANDLE* pAllocationList;
  HANDLE hResource;
  DXGK_DESTROYALLOCATIONFLAGS Flags;
} DXGKARG_DESTROYALLOCATION;
typedef const DXGKARG_DESTROYALLOCATION* IN_CONST_PDXGKARG_DESTROYALLOCATION;

typedef struct _DXGK_DESCRIBEALLOCATIONFLAGS {
  union {
    struct {
      UINT CheckDisplayMode : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DESCRIBEALLOCATIONFLAGS;

typedef struct _DXGKARG_DESCRIBEALLOCATION {
  HANDLE hAllocation;
  UINT Width;
  UINT Height;
  D3DDDIFORMAT Format;
  D3DDDI_MULTISAMPLINGMETHOD MultisampleMethod;
  D3DDDI_RATIONAL RefreshRate;
  UINT PrivateDriverFormatAttribute;
  DXGK_DESCRIBEALLOCATIONFLAGS Flags;
  D3DDDI_ROTATION Rotation;
} DXGKARG_DESCRIBEALLOCATION;
typedef DXGKARG_DESCRIBEALLOCATION* INOUT_PDXGKARG_DESCRIBEALLOCATION;

typedef struct _DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA {
  D3DKMDT_STANDARDALLOCATION_TYPE StandardAllocationType;
  union {
    D3DKMDT_SHAREDPRIMARYSURFACEDATA* pCreateSharedPrimarySurfaceData;
    D3DKMDT_SHADOWSURFACEDATA* pCreateShadowSurfaceData;
    D3DKMDT_STAGINGSURFACEDATA* pCreateStagingSurfaceData;
    D3DKMDT_GDISURFACEDATA* pCreateGdiSurfaceData;
    D3DKMDT_VIRTUALGPUSURFACEDATA* pCreateVirtualGpuSurfaceData;
  };
  VOID* pAllocationPrivateDriverData;
  UINT AllocationPrivateDriverDataSize;
  VOID* pResourcePrivateDriverData;
  UINT ResourcePrivateDriverDataSize;
  UINT PhysicalAdapterIndex;
} DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;
typedef DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;

typedef struct _DXGK_OPENALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hDeviceSpecificAllocation;
} DXGK_OPENALLOCATIONINFO;

typedef struct _DXGK_OPENALLOCATIONFLAGS {
  union {
    struct {
      UINT Create : 1;
      UINT ReadOnly : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_OPENALLOCATIONFLAGS;

typedef struct _DXGKARG_OPENALLOCATION {
  UINT NumAllocations;
  DXGK_OPENALLOCATIONINFO* pOpenAllocation;
  VOID* pPrivateDriverData;
  UINT PrivateDriverSize;
  DXGK_OPENALLOCATIONFLAGS Flags;
  UINT SubresourceIndex;
  SIZE_T SubresourceOffset;
  UINT Pitch;
} DXGKARG_OPENALLOCATION;
typedef const DXGKARG_OPENALLOCATION* IN_CONST_PDXGKARG_OPENALLOCATION;

typedef struct _DXGKARG_CLOSEALLOCATION {
  UINT NumAllocations;
  const HANDLE* pOpenHandleList;
} DXGKARG_CLOSEALLOCATION;
typedef const DXGKARG_CLOSEALLOCATION* IN_CONST_PDXGKARG_CLOSEALLOCATION;

typedef struct _DXGKARG_SETALLOCATIONBACKINGSTORE {
  HANDLE hDriverAllocation;
  PVOID pBackingStore;
} DXGKARG_SETALLOCATIONBACKINGSTORE;
typedef const DXGKARG_SETALLOCATIONBACKINGSTORE* IN_CONST_PDXGKARG_SETALLOCATIONBACKINGSTORE;

typedef struct _DXGKARG_VALIDATEUPDATEALLOCPROPERTY {
  HANDLE hAllocation;
  UINT SupportedSegmentSet;
  D3DDDI_SEGMENTPREFERENCE PreferredSegment;
  D3DDDI_UPDATEALLOCPROPERTY_FLAGS Flags;
  union {
    struct {
      UINT SetAccessedPhysically : 1;
      UINT SetSupportedSegmentSet : 1;
      UINT SetPreferredSegment : 1;
      UINT Reserved : 29;
    };
    UINT PropertyMaskValue;
  };
} DXGKARG_VALIDATEUPDATEALLOCPROPERTY;

typedef NTSTATUS APIENTRY DXGKDDI_CREATEALLOCATION(IN_CONST_HANDLE hAdapter,
                                                   INOUT_PDXGKARG_CREATEALLOCATION pCreateAllocation);
typedef DXGKDDI_CREATEALLOCATION* PDXGKDDI_CREATEALLOCATION;
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYALLOCATION(IN_CONST_HANDLE hAdapter,
                                                    IN_CONST_PDXGKARG_DESTROYALLOCATION pDestroyAllocation);
typedef DXGKDDI_DESTROYALLOCATION* PDXGKDDI_DESTROYALLOCATION;
typedef NTSTATUS APIENTRY DXGKDDI_DESCRIBEALLOCATION(IN_CONST_HANDLE hAdapter,
                                                     INOUT_PDXGKARG_DESCRIBEALLOCATION pDescribeAllocation);
typedef DXGKDDI_DESCRIBEALLOCATION* PDXGKDDI_DESCRIBEALLOCATION;
typedef NTSTATUS APIENTRY DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA(
    IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA pGetStandardAllocationDriverData);
typedef DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA* PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA;
typedef NTSTATUS APIENTRY DXGKDDI_OPENALLOCATIONINFO(IN_CONST_HANDLE hDevice,
                                                     IN_CONST_PDXGKARG_OPENALLOCATION pOpenAllocation);
typedef DXGKDDI_OPENALLOCATIONINFO* PDXGKDDI_OPENALLOCATIONINFO;
typedef NTSTATUS APIENTRY DXGKDDI_CLOSEALLOCATION(IN_CONST_HANDLE hDevice,
                                                  IN_CONST_PDXGKARG_CLOSEALLOCATION pCloseAllocation);
typedef DXGKDDI_CLOSEALLOCATION* PDXGKDDI_CLOSEALLOCATION;
typedef NTSTATUS APIENTRY DXGKDDI_SETALLOCATIONBACKINGSTORE(IN_CONST_HANDLE hAdapter,
                                                            IN_CONST_PDXGKARG_SETALLOCATIONBACKINGSTORE pArgs);
typedef DXGKDDI_SETALLOCATIONBACKINGSTORE* PDXGKDDI_SETALLOCATIONBACKINGSTORE;

typedef struct _DXGK_ALLOCATIONLIST {
  HANDLE hDeviceSpecificAllocation;
  struct {
    UINT WriteOperation : 1;
    UINT SegmentId : 5;
    UINT Reserved : 26;
  };
  union {
    PHYSICAL_ADDRESS PhysicalAddress;
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
  };
} DXGK_ALLOCATIONLIST;

// What a driver says about itself: the query types, its capabilities and the memory segments and page tables it has.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_flipqueue.h"
#include "d3dkmddi_gamma.h"
#include "d3dkmddi_paging.h"
#include "d3dkmddi_pointer.h"
#include "d3dkmddi_present.h"
#include "d3dkmddi_segment.h"
#include "d3dkmddi_types.h"

typedef enum _DXGK_QUERYADAPTERINFOTYPE {
  DXGKQAITYPE_UMDRIVERPRIVATE = 0,
  DXGKQAITYPE_DRIVERCAPS = 1,
  DXGKQAITYPE_QUERYSEGMENT = 2,
  DXGKQAITYPE_RESERVED = 3,
  DXGKQAITYPE_ALLOCATIONGROUP = DXGKQAITYPE_RESERVED,
  DXGKQAITYPE_QUERYSEGMENT2 = 4,
  DXGKQAITYPE_QUERYSEGMENT3 = 5,
  DXGKQAITYPE_NUMPOWERCOMPONENTS = 6,
  DXGKQAITYPE_POWERCOMPONENTINFO = 7,
  DXGKQAITYPE_PREFERREDGPUNODE = 8,
  DXGKQAITYPE_POWERCOMPONENTPSTATEINFO = 9,
  DXGKQAITYPE_HISTORYBUFFERPRECISION = 10,
  DXGKQAITYPE_QUERYSEGMENT4 = 11,
  DXGKQAITYPE_SEGMENTMEMORYSTATE = 12,
  DXGKQAITYPE_GPUMMUCAPS = 13,
  DXGKQAITYPE_PAGETABLELEVELDESC = 14,
  DXGKQAITYPE_PHYSICALADAPTERCAPS = 15,
  DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION = 16,
  DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR = 17,
  DXGKQAITYPE_UEFIFRAMEBUFFERRANGES = 18,
  DXGKQAITYPE_QUERYCOLORIMETRYOVERRIDES = 19,
  DXGKQAITYPE_DISPLAYID_DESCRIPTOR = 20,
  DXGKQAITYPE_FRAMEBUFFERSAVESIZE = 21,
  DXGKQAITYPE_HARDWARERESERVEDRANGES = 22,
  DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR2 = 23,
  DXGKQAITYPE_NODEPERFDATA = 24,
  DXGKQAITYPE_ADAPTERPERFDATA = 25,
  DXGKQAITYPE_ADAPTERPERFDATA_CAPS = 26,
  DXGKQAITYPE_GPUVERSION = 27,
  DXGKQAITYPE_DEVICE_TYPE_CAPS = 28,
  DXGKQAITYPE_WDDMDEVICECAPS = 29,
  DXGKQAITYPE_GPUPCAPS = 30,
  DXGKQAITYPE_QUERYTARGETGAMMACAPS = 31,
  DXGKQAITYPE_SCANOUT_CAPS = 33,
  DXGKQAITYPE_PHYSICAL_MEMORY_CAPS = 34,
  DXGKQAITYPE_IOMMU_CAPS = 35,
  // Seen in logs of Windows, output of four bytes; the documentation does not list it.
  DXGKQAITYPE_64BITONLYCAPS = 47
} DXGK_QUERYADAPTERINFOTYPE;

typedef struct _DXGK_QUERYADAPTERINFOFLAGS {
  union {
    struct {
      UINT VirtualMachineData : 1;
      UINT SecureVirtualMachine : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_QUERYADAPTERINFOFLAGS;

typedef struct _DXGKARG_QUERYADAPTERINFO {
  DXGK_QUERYADAPTERINFOTYPE Type;
  VOID* pInputData;
  UINT InputDataSize;
  VOID* pOutputData;
  UINT OutputDataSize;
  DXGK_QUERYADAPTERINFOFLAGS Flags;
  HANDLE hKmdProcessHandle;
} DXGKARG_QUERYADAPTERINFO;
typedef const DXGKARG_QUERYADAPTERINFO* IN_CONST_PDXGKARG_QUERYADAPTERINFO;

typedef NTSTATUS APIENTRY DXGKDDI_QUERYADAPTERINFO(IN_CONST_HANDLE hAdapter,
                                                   IN_CONST_PDXGKARG_QUERYADAPTERINFO pQueryAdapterInfo);
typedef DXGKDDI_QUERYADAPTERINFO* PDXGKDDI_QUERYADAPTERINFO;

// Documented values are those of 1, 1.2, 2 and 2.1; the others follow their pattern.
typedef enum _DXGK_WDDMVERSION {
  DXGKDDI_WDDMv1 = 0x1000,
  DXGKDDI_WDDMv1_2 = 0x1200,
  DXGKDDI_WDDMv1_3 = 0x1300,
  DXGKDDI_WDDMv2 = 0x2000,
  DXGKDDI_WDDMv2_1 = 0x2100,
  DXGKDDI_WDDMv2_1_5 = 0x2105,
  DXGKDDI_WDDMv2_1_6 = 0x2106,
  DXGKDDI_WDDMv2_2 = 0x2200,
  DXGKDDI_WDDMv2_3 = 0x2300,
  DXGKDDI_WDDMv2_4 = 0x2400,
  DXGKDDI_WDDMv2_5 = 0x2500,
  DXGKDDI_WDDMv2_6 = 0x2600,
  DXGKDDI_WDDMv2_7 = 0x2700,
  DXGKDDI_WDDMv2_8 = 0x2800,
  DXGKDDI_WDDMv2_9 = 0x2900,
  DXGKDDI_WDDMv3_0 = 0x3000,
  DXGKDDI_WDDMv3_1 = 0x3100,
  DXGKDDI_WDDM_LATEST = DXGKDDI_WDDMv3_1
} DXGK_WDDMVERSION;

// No public source gives the width of HwQueuePacketCap; a driver is told to leave it zero. Four bits are ours.
typedef struct _DXGK_VIDSCHCAPS {
  union {
    struct {
      UINT MultiEngineAware : 1;
      UINT VSyncPowerSaveAware : 1;
      UINT PreemptionAware : 1;
      UINT NoDmaPatching : 1;
      UINT CancelCommandAware : 1;
      UINT No64BitAtomics : 1;
      UINT LowIrqlPreemptCommand : 1;
      UINT HwQueuePacketCap : 4;
      UINT Reserved : 21;
    };
    UINT Value;
  };
} DXGK_VIDSCHCAPS;

typedef struct _DXGK_VIDMMCAPS {
  union {
    struct {
      UINT OutOfOrderLock : 1;
      UINT DedicatedPagingEngine : 1;
      UINT PagingEngineCanSwizzle : 1;
      UINT SectionBackedPrimary : 1;
      UINT CrossAdapterResource : 1;
      UINT VirtualAddressingSupported : 1;
      UINT GpuMmuSupported : 1;
      UINT IoMmuSupported : 1;
      UINT ReplicateGdiContent : 1;
      UINT NonCpuVisiblePrimary : 1;
      UINT ParavirtualizationSupported : 1;
      UINT IoMmuSecureModeSupported : 1;
      UINT DisableSelfRefreshVRAMInS3 : 1;
      UINT IoMmuSecureModeRequired : 1;
      UINT MapAperture2Supported : 1;
      UINT CrossAdapterResourceTexture : 1;
      UINT CrossAdapterResourceScanout : 1;
      UINT Reserved : 15;
    };
    UINT Value;
  };
  UINT PagingNode;
} DXGK_VIDMMCAPS;

typedef struct _DXGK_GPUENGINETOPOLOGY {
  UINT NbAsymetricProcessingNodes;
  UINT Reserved[DXGK_MAX_ASYMETRICAL_PROCESSING_NODES];
} DXGK_GPUENGINETOPOLOGY;

// The newest layout. A driver that declares an older interface version is given fewer bytes of it: the sizes below.
// Reserved and Reserved1 have no documented size; between their neighbours the measured sizes leave them 188 bytes.
typedef struct _DXGK_DRIVERCAPS {
  PHYSICAL_ADDRESS HighestAcceptableAddress;
  UINT MaxAllocationListSlotId;
  SIZE_T ApertureSegmentCommitLimit;
  UINT MaxPointerWidth;
  UINT MaxPointerHeight;
  DXGK_POINTERFLAGS PointerCaps;
  UINT InterruptMessageNumber;
  UINT NumberOfSwizzlingRanges;
  UINT MaxOverlays;
  union {
    DXGK_GAMMARAMPCAPS GammaRampCaps;
    DXGK_COLORTRANSFORMCAPS ColorTransformCaps;
  };
  DXGK_PRESENTATIONCAPS PresentationCaps;
  UINT MaxQueuedFlipOnVSync;
  DXGK_FLIPCAPS FlipCaps;
  DXGK_VIDSCHCAPS SchedulingCaps;
  DXGK_VIDMMCAPS MemoryManagementCaps;
  DXGK_GPUENGINETOPOLOGY GpuEngineTopology;
  DXGK_WDDMVERSION WDDMVersion;
  UINT Reserved[46];
  UINT Reserved1;
  D3DKMDT_PREEMPTION_CAPS PreemptionCaps;
  BOOLEAN SupportNonVGA;
  BOOLEAN SupportSmoothRotation;
  BOOLEAN SupportPerEngineTDR;
  BOOLEAN SupportDirectFlip;
  BOOLEAN SupportMultiPlaneOverlay;
  BOOLEAN SupportRuntimePowerManagement;
  BOOLEAN SupportSurpriseRemovalInHibernation;
  BOOLEAN HybridDiscrete;
  UINT MaxOverlayPlanes;
  BOOLEAN HybridIntegrated;
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeStart;
  D3DGPU_VIRTUAL_ADDRESS InternalGpuVirtualAddressRangeEnd;
  BOOLEAN SupportSurpriseRemoval;
  BOOLEAN SupportMultiPlaneOverlayImmediateFlip;
  BOOLEAN CursorScaledWithMultiPlaneOverlayPlane0;
  BOOLEAN HybridAcpiChainingRequired;
  UINT MaxQueuedMultiPlaneOverlayFlipVSync;
  union {
    struct {
      UINT SupportContextlessPresent : 1;
      UINT Detachable : 1;
      UINT VirtualGpuOnly : 1;
      UINT ComputeOnly : 1;
      UINT IndependentVidPnVSyncControl : 1;
      UINT NoHybridDiscreteDListDllSupport : 1;
      UINT DisplayableSupport : 1;
      UINT Reserved : 25;
    };
    UINT Value;
  } MiscCaps;
  UINT MaxHwQueuedFlips;
  DXGK_HWQUEUEDFLIP_CAPS HwQueuedFlipCaps;
} DXGK_DRIVERCAPS;

// OutputDataSize of DXGKQAITYPE_DRIVERCAPS as measured on Windows, by the version that the driver declares.
#define DRYDOCK_DRIVERCAPS_SIZE_WIN8 0x220
#define DRYDOCK_DRIVERCAPS_SIZE_WDDM1_3 0x228
#define DRYDOCK_DRIVERCAPS_SIZE_WDDM2_0 0x240
C_ASSERT(FIELD_OFFSET(DXGK_DRIVERCAPS, HybridDiscrete) + 1 == DRYDOCK_DRIVERCAPS_SIZE_WIN8);
C_ASSERT(FIELD_OFFSET(DXGK_DRIVERCAPS, InternalGpuVirtualAddressRangeStart) == DRYDOCK_DRIVERCAPS_SIZE_WDDM1_3);
C_ASSERT(FIELD_OFFSET(DXGK_DRIVERCAPS, MiscCaps) == DRYDOCK_DRIVERCAPS_SIZE_WDDM2_0);

typedef struct _DXGK_DISPLAY_DRIVERCAPS_EXTENSION {
  union {
    struct {
      UINT SecureDisplaySupport : 1;
      UINT VirtualModeSupport : 1;
      UINT NonSpecificPrimarySupport : 1;
      UINT HdrFP16ScanoutSupport : 1;
      UINT HdrARGB10ScanoutSupport : 1;
      UINT Hdr10MetadataSupport : 1;
      UINT VirtualRefreshRateSupport : 1;
      UINT SupportUsb4Targets : 1;
      UINT Reserved : 24;
    };
    UINT Value;
  };
} DXGK_DISPLAY_DRIVERCAPS_EXTENSION;

typedef struct _DXGK_WDDMDEVICECAPSIN {
  ULONG DxgkrnlInterfaceVersion;
} DXGK_WDDMDEVICECAPSIN;

typedef struct _DXGK_WDDMDEVICECAPS {
  DXGK_WDDMVERSION WDDMVersion;
} DXGK_WDDMDEVICECAPS;

typedef struct _DXGK_DEVICE_TYPE_CAPS {
  union {
    struct {
      UINT Discrete : 1;
      UINT Detachable : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_DEVICE_TYPE_CAPS;

typedef struct _DXGK_GPUPCAPS {
  union {
    struct {
      UINT VirtualMachineHibernation : 1;
      UINT HotDriverUpdate : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  } Caps;
} DXGK_GPUPCAPS;

typedef struct _DXGK_QUERYPHYSICALADAPTERCAPSIN {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYPHYSICALADAPTERCAPSIN;

typedef struct _DXGK_PHYSICALADAPTERFLAGS {
  union {
    struct {
      UINT IoMmuSupported : 1;
      UINT GpuMmuSupported : 1;
      UINT MovePagingSupported : 1;
      UINT VPRPagingContextRequired : 1;
      UINT AllowHardwareProtectedNoVpr : 1;
      UINT VirtualCopyEngineSupported : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} DXGK_PHYSICALADAPTERFLAGS;

// Windows was seen to pass 20 bytes, which a HANDLE reaches only without padding before it. VirtualCopyNodeIndex came
// later (WDDM 2.7).
#pragma pack(push, 4)
typedef struct _DXGK_PHYSICALADAPTERCAPS {
  WORD NumExecutionNodes;
  WORD PagingNodeIndex;
  HANDLE DxgkPhysicalAdapterHandle;
  DXGK_PHYSICALADAPTERFLAGS Flags;
  UINT VPRPagingNode;
  UINT VirtualCopyNodeIndex;
} DXGK_PHYSICALADAPTERCAPS;
#pragma pack(pop)
#define DRYDOCK_PHYSICALADAPTERCAPS_SIZE_WDDM2_0 20
C_ASSERT(FIELD_OFFSET(DXGK_PHYSICALADAPTERCAPS, VirtualCopyNodeIndex) == DRYDOCK_PHYSICALADAPTERCAPS_SIZE_WDDM2_0);

typedef struct _DXGK_QUERYGPUMMUCAPSIN {
  UINT PhysicalAdapterIndex;
} DXGK_QUERYGPUMMUCAPSIN;

#define DXGK_MIN_PAGE_TABLE_LEVEL_COUNT 2

typedef struct _DXGK_GPUMMUCAPS {
  union {
    struct {
      UINT ReadOnlyMemorySupported : 1;
      UINT NoExecuteMemorySupported : 1;
      UINT ZeroInPteSupported : 1;
      UINT ExplicitPageTableInvalidation : 1;
      UINT CacheCoherentMemorySupported : 1;
      UINT PageTableUpdateRequireAddressSpaceIdle : 1;
      UINT LargePageSupported : 1;
      UINT DualPteSupported : 1;
      UINT AllowNonAlignedLargePageAddress : 1;
      UINT SysMem64KBPageSupported : 1;
      UINT InvalidTlbEntriesNotCached : 1;
      UINT SysMemLargePageSupported : 1;
      UINT CachedPageTables : 1;
      UINT Reserved : 19;
    };
    UINT Value;
  };
  DXGK_PAGETABLEUPDATEMODE PageTableUpdateMode;
  UINT VirtualAddressBitCount;
  UINT LeafPageTableSizeFor64KPagesInBytes;
  UINT PageTableLevelCount;
  struct {
    UINT SourcePageTableVaInTransfer : 1;
    UINT Reserved : 31;
  } LegacyBehaviors;
} DXGK_GPUMMUCAPS;
C_ASSERT(sizeof(DXGK_GPUMMUCAPS) == 24);

typedef struct _DXGK_QUERYPAGETABLELEVELDESCIN {
  WORD LevelIndex;
  WORD PhysicalAdapterIndex;
} DXGK_QUERYPAGETABLELEVELDESCIN;

typedef struct _DXGK_PAGE_TABLE_LEVEL_DESC {
  UINT PageTableIndexBitCount;
  UINT PageTableSegmentId;
  UINT PagingProcessPageTableSegmentId;
  UINT PageTableSizeInBytes;
  UINT PageTableAlignmentInBytes;
} DXGK_PAGE_TABLE_LEVEL_DESC;
C_ASSERT(sizeof(DXGK_PAGE_TABLE_LEVEL_DESC) == 20);

typedef struct _DXGK_IOMMU_CAPS {
  union {
    struct {
      UINT IommuIsolationSupported : 1;
      UINT IommuIsolationRequired : 1;
      UINT DmaRemappingSupported : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGK_IOMMU_CAPS;

typedef struct _DXGK_PHYSICAL_MEMORY_CAPS {
  PHYSICAL_ADDRESS HighestVisibleAddress;
} DXGK_PHYSICAL_MEMORY_CAPS;

typedef struct _DXGK_PHYSICAL_MEMORY_RANGE {
  PHYSICAL_ADDRESS BaseAddress;
  SIZE_T NumberOfBytes;
} DXGK_PHYSICAL_MEMORY_RANGE;

typedef struct _DXGK_HARDWARERESERVEDRANGES {
  UINT NumRanges;
  DXGK_PHYSICAL_MEMORY_RANGE* pPhysicalRanges;
} DXGK_HARDWARERESERVEDRANGES;

typedef struct _DXGK_FRAMEBUFFERSAVEAREA {
  SIZE_T MaximumSize;
} DXGK_FRAMEBUFFERSAVEAREA;

typedef DXGKARG_GETNODEMETADATA* OUT_PDXGKARG_GETNODEMETADATA;

typedef NTSTATUS APIENTRY DXGKDDI_GETNODEMETADATA(IN_CONST_HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex,
                                                  OUT_PDXGKARG_GETNODEMETADATA pGetNodeMetadata);
typedef DXGKDDI_GETNODEMETADATA* PDXGKDDI_GETNODEMETADATA;

// The paging buffer: every operation that the memory manager asks a driver to write into it, and page tables.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_adl.h"
#include "d3dkmddi_types.h"

typedef enum _DXGK_BUILDPAGINGBUFFER_OPERATION {
  DXGK_OPERATION_TRANSFER = 0,
  DXGK_OPERATION_FILL = 1,
  DXGK_OPERATION_DISCARD_CONTENT = 2,
  DXGK_OPERATION_READ_PHYSICAL = 3,
  DXGK_OPERATION_WRITE_PHYSICAL = 4,
  DXGK_OPERATION_MAP_APERTURE_SEGMENT = 5,
  DXGK_OPERATION_UNMAP_APERTURE_SEGMENT = 6,
  DXGK_OPERATION_SPECIAL_LOCK_TRANSFER = 7,
  DXGK_OPERATION_VIRTUAL_TRANSFER = 8,
  DXGK_OPERATION_VIRTUAL_FILL = 9,
  DXGK_OPERATION_INIT_CONTEXT_RESOURCE = 10,
  DXGK_OPERATION_UPDATE_PAGE_TABLE = 11,
  DXGK_OPERATION_FLUSH_TLB = 12,
  DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION = 13,
  DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES = 14,
  DXGK_OPERATION_NOTIFY_RESIDENCY = 15,
  DXGK_OPERATION_SIGNAL_MONITORED_FENCE = 16,
  DXGK_OPERATION_MAP_APERTURE_SEGMENT2 = 17
} DXGK_BUILDPAGINGBUFFER_OPERATION;

typedef struct _DXGK_TRANSFERFLAGS {
  union {
    struct {
      UINT Swizzle : 1;
      UINT Unswizzle : 1;
      UINT AllocationIsIdle : 1;
      UINT TransferStart : 1;
      UINT TransferEnd : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_TRANSFERFLAGS;

typedef struct _DXGK_DISCARDCONTENTFLAGS {
  union {
    struct {
      UINT AllocationIsIdle : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DISCARDCONTENTFLAGS;

typedef struct _DXGK_MAPAPERTUREFLAGS {
  union {
    struct {
      UINT CacheCoherent : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_MAPAPERTUREFLAGS;

typedef enum _DXGK_MEMORY_TRANSFER_DIRECTION {
  DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM = 0,
  DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL = 1,
  DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL = 2
} DXGK_MEMORY_TRANSFER_DIRECTION;

typedef struct _DXGK_TRANSFERVIRTUALFLAGS {
  union {
    struct {
      UINT Src64KBPages : 1;
      UINT Dst64KBPages : 1;
      UINT Reserved : 30;
    };
    UINT Flags;
  };
} DXGK_TRANSFERVIRTUALFLAGS;

typedef struct _DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL {
  HANDLE hAllocation;
  UINT64 AllocationOffsetInBytes;
  UINT64 TransferSizeInBytes;
  D3DGPU_VIRTUAL_ADDRESS SourceVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS SourcePageTable;
  DXGK_MEMORY_TRANSFER_DIRECTION TransferDirection;
  DXGK_TRANSFERVIRTUALFLAGS Flags;
  D3DGPU_VIRTUAL_ADDRESS DestinationPageTable;
} DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL;

typedef struct _DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL {
  HANDLE hAllocation;
  UINT64 AllocationOffsetInBytes;
  UINT64 FillSizeInBytes;
  UINT FillPattern;
  D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL;

typedef enum _DXGK_PAGETABLEUPDATEMODE {
  DXGK_PAGETABLEUPDATE_CPU_VIRTUAL,
  DXGK_PAGETABLEUPDATE_GPU_VIRTUAL,
  DXGK_PAGETABLEUPDATE_GPU_PHYSICAL
} DXGK_PAGETABLEUPDATEMODE;

typedef struct _DXGK_PAGETABLEUPDATEADDRESS {
  union {
    PVOID CpuVirtual;
    D3DGPU_PHYSICAL_ADDRESS GpuPhysical;
    D3DGPU_VIRTUAL_ADDRESS GpuVirtual;
  };
} DXGK_PAGETABLEUPDATEADDRESS;

typedef struct _DXGK_UPDATEPAGETABLEFLAGS {
  UINT Repeat : 1;
  UINT InitialUpdate : 1;
  UINT NotifyEviction : 1;
  UINT Use64KBPages : 1;
  UINT Reserved : 28;
} DXGK_UPDATEPAGETABLEFLAGS;

typedef struct _DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE {
  UINT PageTableLevel;
  HANDLE hAllocation;
  DXGK_PAGETABLEUPDATEADDRESS PageTableAddress;
  DXGK_PTE* pPageTableEntries;
  UINT StartIndex;
  UINT NumPageTableEntries;
  UINT Reserved0;
  DXGK_UPDATEPAGETABLEFLAGS Flags;
  UINT64 DriverProtection;
  UINT64 AllocationOffsetInBytes;
  HANDLE hProcess;
  DXGK_PAGETABLEUPDATEMODE UpdateMode;
  DXGK_PTE* pPageTableEntries64KB;
  D3DGPU_VIRTUAL_ADDRESS FirstPteVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE;

// An old page gave the two range ends the type of a physical address; what they hold is a virtual one.
typedef struct _DXGK_BUILDPAGINGBUFFER_FLUSHTLB {
  D3DGPU_PHYSICAL_ADDRESS RootPageTableAddress;
  HANDLE hProcess;
  D3DGPU_VIRTUAL_ADDRESS StartVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS EndVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FLUSHTLB;

typedef struct _DXGK_BUILDPAGINGBUFFER_COPY_RANGE {
  UINT NumPageTableEntries;
  D3DGPU_VIRTUAL_ADDRESS SrcPageTableAddress;
  D3DGPU_VIRTUAL_ADDRESS DstPageTableAddress;
  UINT SrcStartPteIndex;
  UINT DstStartPteIndex;
} DXGK_BUILDPAGINGBUFFER_COPY_RANGE;

typedef struct _DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES {
  UINT NumRanges;
  DXGK_BUILDPAGINGBUFFER_COPY_RANGE* pRanges;
} DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES;

typedef struct _DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION {
  D3DGPU_VIRTUAL_ADDRESS ContextAllocation;
  UINT64 ContextAllocationSize;
  PVOID pDriverPrivateData;
  UINT DriverPrivateDataSize;
} DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION;

typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY {
  HANDLE hAllocation;
  D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
  struct {
    UINT Resident : 1;
    UINT Reserved : 31;
  };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY;

// Its page is missing; the fields are those that DXGKARG_SIGNALMONITOREDFENCE has for the fence itself.
typedef struct _DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE {
  D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
  UINT64 MonitoredFenceValue;
  PVOID MonitoredFenceCpuVa;
} DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE;

typedef struct _DXGKARG_BUILDPAGINGBUFFER {
  VOID* pDmaBuffer;
  UINT DmaSize;
  VOID* pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;
  DXGK_BUILDPAGINGBUFFER_OPERATION Operation;
  UINT MultipassOffset;
  union {
    struct {
      HANDLE hAllocation;
      UINT TransferOffset;
      SIZE_T TransferSize;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
      } Source;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
      } Destination;
      DXGK_TRANSFERFLAGS Flags;
      UINT MdlOffset;
    } Transfer;
    struct {
      HANDLE hAllocation;
      SIZE_T FillSize;
      UINT FillPattern;
      struct {
        UINT SegmentId;
        LARGE_INTEGER SegmentAddress;
      } Destination;
    } Fill;
    struct {
      HANDLE hAllocation;
      DXGK_DISCARDCONTENTFLAGS Flags;
      UINT SegmentId;
      PHYSICAL_ADDRESS SegmentAddress;
    } DiscardContent;
    struct {
      UINT SegmentId;
      PHYSICAL_ADDRESS PhysicalAddress;
    } ReadPhysical;
    struct {
      UINT SegmentId;
      PHYSICAL_ADDRESS PhysicalAddress;
    } WritePhysical;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      PMDL pMdl;
      DXGK_MAPAPERTUREFLAGS Flags;
      ULONG MdlOffset;
    } MapApertureSegment;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      PHYSICAL_ADDRESS DummyPage;
    } UnmapApertureSegment;
    struct {
      HANDLE hAllocation;
      UINT TransferOffset;
      SIZE_T TransferSize;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
      } Source;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
      } Destination;
      DXGK_TRANSFERFLAGS Flags;
      UINT SwizzlingRangeId;
      UINT SwizzlingRangeData;
    } SpecialLockTransfer;
    struct {
      HANDLE hAllocation;
      struct {
        UINT SegmentId;
        union {
          LARGE_INTEGER SegmentAddress;
          MDL* pMdl;
        };
        PVOID VirtualAddress;
        D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
      } Destination;
    } InitContextResource;
    DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL TransferVirtual;
    DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL FillVirtual;
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE UpdatePageTable;
    DXGK_BUILDPAGINGBUFFER_FLUSHTLB FlushTlb;
    DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES CopyPageTableEntries;
    DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION UpdateContextAllocation;
    DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY NotifyResidency;
    DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE SignalMonitoredFence;
    struct {
      HANDLE hDevice;
      HANDLE hAllocation;
      UINT SegmentId;
      SIZE_T OffsetInPages;
      SIZE_T NumberOfPages;
      DXGK_ADL Adl;
      DXGK_MAPAPERTUREFLAGS Flags;
      ULONG AdlOffset;
      PVOID CpuVisibleAddress;
    } MapApertureSegment2;
    struct {
      UINT Reserved[64];
    } Reserved;
  };
  HANDLE hSystemContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaBufferWriteOffset;
} DXGKARG_BUILDPAGINGBUFFER;
typedef DXGKARG_BUILDPAGINGBUFFER* IN_PDXGKARG_BUILDPAGINGBUFFER;

typedef struct _DXGKARG_GETROOTPAGETABLESIZE {
  UINT NumberOfPte;
  UINT PhysicalAdapterIndex;
} DXGKARG_GETROOTPAGETABLESIZE;
typedef DXGKARG_GETROOTPAGETABLESIZE* INOUT_PDXGKARG_GETROOTPAGETABLESIZE;

typedef struct _DXGKARG_SETROOTPAGETABLE {
  HANDLE hContext;
  D3DGPU_PHYSICAL_ADDRESS Address;
  UINT NumEntries;
} DXGKARG_SETROOTPAGETABLE;
typedef const DXGKARG_SETROOTPAGETABLE* IN_CONST_PDXGKARG_SETROOTPAGETABLE;

typedef struct _DXGKARG_MAPCPUHOSTAPERTURE {
  HANDLE hAllocation;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
  UINT64 NumberOfPages;
  UINT32* pCpuHostAperturePages;
  UINT64* pMemorySegmentPages;
} DXGKARG_MAPCPUHOSTAPERTURE;
typedef const DXGKARG_MAPCPUHOSTAPERTURE* IN_CONST_PDXGKARG_MAPCPUHOSTAPERTURE;

typedef struct _DXGKARG_UNMAPCPUHOSTAPERTURE {
  UINT64 NumberOfPages;
  UINT32* pCpuHostAperturePages;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
} DXGKARG_UNMAPCPUHOSTAPERTURE;
typedef const DXGKARG_UNMAPCPUHOSTAPERTURE* IN_CONST_PDXGKARG_UNMAPCPUHOSTAPERTURE;

typedef struct _DXGKARG_ACQUIRESWIZZLINGRANGE {
  HANDLE hAllocation;
  UINT PrivateDriverData;
  UINT RangeId;
  UINT SegmentId;
  SIZE_T RangeSize;
  PHYSICAL_ADDRESS CPUTranslatedAddress;
} DXGKARG_ACQUIRESWIZZLINGRANGE;
typedef DXGKARG_ACQUIRESWIZZLINGRANGE* INOUT_PDXGKARG_ACQUIRESWIZZLINGRANGE;

typedef struct _DXGKARG_RELEASESWIZZLINGRANGE {
  HANDLE hAllocation;
  UINT PrivateDriverData;
  UINT RangeId;
} DXGKARG_RELEASESWIZZLINGRANGE;
typedef const DXGKARG_RELEASESWIZZLINGRANGE* IN_CONST_PDXGKARG_RELEASESWIZZLINGRANGE;

typedef struct _DXGKARG_STOPCAPTURE {
  HANDLE hAllocation;
} DXGKARG_STOPCAPTURE;
typedef const DXGKARG_STOPCAPTURE* IN_CONST_PDXGKARG_STOPCAPTURE;

typedef NTSTATUS APIENTRY DXGKDDI_BUILDPAGINGBUFFER(IN_CONST_HANDLE hAdapter,
                                                    IN_PDXGKARG_BUILDPAGINGBUFFER pBuildPagingBuffer);
typedef DXGKDDI_BUILDPAGINGBUFFER* PDXGKDDI_BUILDPAGINGBUFFER;
typedef SIZE_T APIENTRY DXGKDDI_GETROOTPAGETABLESIZE(IN_CONST_HANDLE hAdapter,
                                                     INOUT_PDXGKARG_GETROOTPAGETABLESIZE pArgs);
typedef DXGKDDI_GETROOTPAGETABLESIZE* PDXGKDDI_GETROOTPAGETABLESIZE;
typedef VOID APIENTRY DXGKDDI_SETROOTPAGETABLE(IN_CONST_HANDLE hAdapter,
                                               IN_CONST_PDXGKARG_SETROOTPAGETABLE pSetPageTable);
typedef DXGKDDI_SETROOTPAGETABLE* PDXGKDDI_SETROOTPAGETABLE;
typedef NTSTATUS APIENTRY DXGKDDI_MAPCPUHOSTAPERTURE(IN_CONST_HANDLE hAdapter,
                                                     IN_CONST_PDXGKARG_MAPCPUHOSTAPERTURE pArgs);
typedef DXGKDDI_MAPCPUHOSTAPERTURE* PDXGKDDI_MAPCPUHOSTAPERTURE;
typedef NTSTATUS APIENTRY DXGKDDI_UNMAPCPUHOSTAPERTURE(IN_CONST_HANDLE hAdapter,
                                                       IN_CONST_PDXGKARG_UNMAPCPUHOSTAPERTURE pArgs);
typedef DXGKDDI_UNMAPCPUHOSTAPERTURE* PDXGKDDI_UNMAPCPUHOSTAPERTURE;
typedef NTSTATUS APIENTRY DXGKDDI_ACQUIRESWIZZLINGRANGE(IN_CONST_HANDLE hAdapter,
                                                        INOUT_PDXGKARG_ACQUIRESWIZZLINGRANGE pAcquireSwizzlingRange);
typedef DXGKDDI_ACQUIRESWIZZLINGRANGE* PDXGKDDI_ACQUIRESWIZZLINGRANGE;
typedef NTSTATUS APIENTRY DXGKDDI_RELEASESWIZZLINGRANGE(IN_CONST_HANDLE hAdapter,
                                                        IN_CONST_PDXGKARG_RELEASESWIZZLINGRANGE pReleaseSwizzlingRange);
typedef DXGKDDI_RELEASESWIZZLINGRANGE* PDXGKDDI_RELEASESWIZZLINGRANGE;
typedef NTSTATUS APIENTRY DXGKDDI_STOPCAPTURE(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_STOPCAPTURE pStopCapture);
typedef DXGKDDI_STOPCAPTURE* PDXGKDDI_STOPCAPTURE;

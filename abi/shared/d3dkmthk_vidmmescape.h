// Escapes into the memory manager, for tests and debuggers.
#pragma once
#pragma GCC system_header

#include "d3dkmthk_query_caps.h"
#include "d3dkmthk_residency.h"
#include "d3dukmdt.h"

#define D3DKMT_GET_PTE_MAX 64
#define D3DKMT_MAX_SEGMENT_COUNT 32

typedef enum _D3DKMT_DEFRAG_ESCAPE_OPERATION {
  D3DKMT_DEFRAG_ESCAPE_GET_FRAGMENTATION_STATS = 0,
  D3DKMT_DEFRAG_ESCAPE_DEFRAG_UPWARD = 1,
  D3DKMT_DEFRAG_ESCAPE_DEFRAG_DOWNWARD = 2,
  D3DKMT_DEFRAG_ESCAPE_DEFRAG_PASS = 3,
  D3DKMT_DEFRAG_ESCAPE_VERIFY_TRANSFER = 4,
} D3DKMT_DEFRAG_ESCAPE_OPERATION;

typedef enum _D3DKMT_ESCAPE_COPY_CONTENT_DIRECTION {
  D3DKMT_ESCAPE_COPY_CONTENT_DIRECTION_TO_ALLOCATION = 0,
  D3DKMT_ESCAPE_COPY_CONTENT_DIRECTION_FROM_ALLOCATION = 1,
} D3DKMT_ESCAPE_COPY_CONTENT_DIRECTION;

typedef enum _D3DKMT_VAD_ESCAPE_COMMAND {
  D3DKMT_VAD_ESCAPE_GETNUMVADS = 0,
  D3DKMT_VAD_ESCAPE_GETVAD = 1,
  D3DKMT_VAD_ESCAPE_GETVADRANGE = 2,
  D3DKMT_VAD_ESCAPE_GET_PTE = 3,
  D3DKMT_VAD_ESCAPE_GET_GPUMMU_CAPS = 4,
  D3DKMT_VAD_ESCAPE_GET_SEGMENT_CAPS = 5,
  D3DKMT_VAD_ESCAPE_GET_PTE_DATA = 6,
} D3DKMT_VAD_ESCAPE_COMMAND;

typedef enum _D3DKMT_VIDMMESCAPETYPE {
  D3DKMT_VIDMMESCAPETYPE_SETFAULT = 0,
  D3DKMT_VIDMMESCAPETYPE_RUN_COHERENCY_TEST = 1,
  D3DKMT_VIDMMESCAPETYPE_RUN_UNMAP_TO_DUMMY_PAGE_TEST = 2,
  D3DKMT_VIDMMESCAPETYPE_APERTURE_CORRUPTION_CHECK = 3,
  D3DKMT_VIDMMESCAPETYPE_SUSPEND_CPU_ACCESS_TEST = 4,
  D3DKMT_VIDMMESCAPETYPE_EVICT = 5,
  D3DKMT_VIDMMESCAPETYPE_EVICT_BY_NT_HANDLE = 6,
  D3DKMT_VIDMMESCAPETYPE_GET_VAD_INFO = 7,
  D3DKMT_VIDMMESCAPETYPE_SET_BUDGET = 8,
  D3DKMT_VIDMMESCAPETYPE_SUSPEND_PROCESS = 9,
  D3DKMT_VIDMMESCAPETYPE_RESUME_PROCESS = 10,
  D3DKMT_VIDMMESCAPETYPE_GET_BUDGET = 11,
  D3DKMT_VIDMMESCAPETYPE_SET_TRIM_INTERVALS = 12,
  D3DKMT_VIDMMESCAPETYPE_EVICT_BY_CRITERIA = 13,
  D3DKMT_VIDMMESCAPETYPE_WAKE = 14,
  D3DKMT_VIDMMESCAPETYPE_DEFRAG = 15,
  D3DKMT_VIDMMESCAPETYPE_DELAYEXECUTION = 16,
  D3DKMT_VIDMMESCAPETYPE_VALIDATE_INTEGRITY = 17,
  D3DKMT_VIDMMESCAPETYPE_SET_EVICTION_CONFIG = 18,
  D3DKMT_VIDMMESCAPETYPE_COPY_CONTENT = 19,
  D3DKMT_VIDMMESCAPETYPE_DEBUG = 20,
  D3DKMT_VIDMMESCAPETYPE_QUERYSECTION = 21,
} D3DKMT_VIDMMESCAPETYPE;

typedef struct _D3DKMT_EVICTION_CRITERIA {
  UINT64 MinimumSize;
  UINT64 MaximumSize;
  struct {
    union {
      struct {
        UINT Primary : 1;
        UINT Reserved : 31;
      } Flags;
      UINT Value;
    };
  };
} D3DKMT_EVICTION_CRITERIA;

typedef struct _DXGK_ESCAPE_GPUMMUCAPS {
  BOOLEAN ReadOnlyMemorySupported;
  BOOLEAN NoExecuteMemorySupported;
  BOOLEAN ZeroInPteSupported;
  BOOLEAN CacheCoherentMemorySupported;
  BOOLEAN LargePageSupported;
  BOOLEAN DualPteSupported;
  BOOLEAN AllowNonAlignedLargePageAddress;
  BOOLEAN PageTable64KSupported : 1;
  BOOLEAN Reserved : 7;
  UINT VirtualAddressBitCount;
  UINT PageTableLevelCount;
  D3DKMT_PAGE_TABLE_LEVEL_DESC PageTableLevelDesk[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT];
} DXGK_ESCAPE_GPUMMUCAPS;

typedef struct _D3DKMT_GET_GPUMMU_CAPS {
  UINT PhysicalAdapterIndex;
  DXGK_ESCAPE_GPUMMUCAPS GpuMmuCaps;
} D3DKMT_GET_GPUMMU_CAPS;

typedef struct _D3DKMT_GET_PTE {
  UINT PhysicalAdapterIndex;
  UINT PageTableLevel;
  UINT PageTableIndex[DXGK_MAX_PAGE_TABLE_LEVEL_COUNT];
  BOOLEAN b64KBPte;
  UINT NumPtes;
  DXGK_PTE Pte[D3DKMT_GET_PTE_MAX];
  UINT NumValidEntries;
} D3DKMT_GET_PTE;

typedef struct _D3DKMT_GET_PTE_EXT {
  UINT64 DriverProtection[D3DKMT_GET_PTE_MAX];
  UINT64 AllocationData[D3DKMT_GET_PTE_MAX];
} D3DKMT_GET_PTE_EXT;

typedef struct _D3DKMT_SEGMENT_CAPS {
  UINT64 Size;
  UINT PageSize;
  UINT SegmentId;
  BOOLEAN bAperture;
  BOOLEAN bReservedSysMem;
  D3DKMT_MEMORY_SEGMENT_GROUP BudgetGroup;
} D3DKMT_SEGMENT_CAPS;

typedef struct _D3DKMT_GET_SEGMENT_CAPS {
  UINT PhysicalAdapterIndex;
  UINT NumSegments;
  D3DKMT_SEGMENT_CAPS SegmentCaps[D3DKMT_MAX_SEGMENT_COUNT];
} D3DKMT_GET_SEGMENT_CAPS;

typedef struct _D3DKMT_VAD_DESC {
  UINT VadIndex;
  UINT64 VadAddress;
  UINT NumMappedRanges;
  UINT VadType;
  UINT64 StartAddress;
  UINT64 EndAddress;
} D3DKMT_VAD_DESC;

typedef struct _D3DKMT_VA_RANGE_DESC {
  UINT64 VadAddress;
  UINT VaRangeIndex;
  UINT PhysicalAdapterIndex;
  UINT64 StartAddress;
  UINT64 EndAddress;
  UINT64 DriverProtection;
  UINT OwnerType;
  UINT64 pOwner;
  UINT64 OwnerOffset;
  UINT Protection;
} D3DKMT_VA_RANGE_DESC;

typedef struct _D3DKMT_VIDMM_ESCAPE {
  D3DKMT_VIDMMESCAPETYPE Type;
  union {
    struct {
      union {
        struct {
          UINT ProbeAndLock : 1;
          UINT SplitPoint : 1;
          UINT NoDemotion : 1;
          UINT SwizzlingAperture : 1;
          UINT PagingPathLockSubRange : 1;
          UINT PagingPathLockMinRange : 1;
          UINT ComplexLock : 1;
          UINT FailVARotation : 1;
          UINT NoWriteCombined : 1;
          UINT NoPrePatching : 1;
          UINT AlwaysRepatch : 1;
          UINT ExpectPreparationFailure : 1;
          UINT FailUserModeVAMapping : 1;
          UINT NeverDiscardOfferedAllocation : 1;
          UINT AlwaysDiscardOfferedAllocation : 1;
          UINT Reserved : 17;
        };
        UINT Value;
      };
    } SetFault;
    struct {
      union {
        struct {
          UINT TestNativeFence : 1;
          UINT Reserved : 31;
        };
        UINT Value;
      };
    } Debug;
    struct {
      D3DKMT_HANDLE ResourceHandle;
      D3DKMT_HANDLE AllocationHandle;
      HANDLE hProcess;
    } Evict;
    struct {
      UINT64 NtHandle;
    } EvictByNtHandle;
    struct {
      union {
        struct {
          UINT NumVads;
        } GetNumVads;
        D3DKMT_VAD_DESC GetVad;
        D3DKMT_VA_RANGE_DESC GetVadRange;
        D3DKMT_GET_GPUMMU_CAPS GetGpuMmuCaps;
        D3DKMT_GET_PTE GetPte;
        D3DKMT_GET_SEGMENT_CAPS GetSegmentCaps;
      };
      D3DKMT_VAD_ESCAPE_COMMAND Command;
      NTSTATUS Status;
      union {
        D3DKMT_GET_PTE_EXT GetPteExt;
      };
    } GetVads;
    struct {
      UINT64 LocalMemoryBudget;
      UINT64 SystemMemoryBudget;
    } SetBudget;
    struct {
      HANDLE hProcess;
      BOOL bAllowWakeOnSubmission;
    } SuspendProcess;
    struct {
      HANDLE hProcess;
    } ResumeProcess;
    struct {
      UINT64 NumBytesToTrim;
    } GetBudget;
    struct {
      UINT MinTrimInterval;
      UINT MaxTrimInterval;
      UINT IdleTrimInterval;
    } SetTrimIntervals;
    D3DKMT_EVICTION_CRITERIA EvictByCriteria;
    struct {
      BOOL bFlush;
    } Wake;
    struct {
      D3DKMT_DEFRAG_ESCAPE_OPERATION Operation;
      UINT SegmentId;
      UINT64 TotalCommitted;
      UINT64 TotalFree;
      UINT64 LargestGapBefore;
      UINT64 LargestGapAfter;
    } Defrag;
    struct {
      D3DKMT_HANDLE hPagingQueue;
      UINT PhysicalAdapterIndex;
      UINT Milliseconds;
      UINT64 PagingFenceValue;
    } DelayExecution;
    struct {
      USHORT PhysicalAdapterIndex;
      USHORT SegmentId;
    } VerifyIntegrity;
    struct {
      LARGE_INTEGER TimerValue;
    } DelayedEvictionConfig;
    struct {
      void* UserBuffer;
      D3DKMT_ESCAPE_COPY_CONTENT_DIRECTION Direction;
      D3DKMT_HANDLE hAllocation;
      UINT64 Offset;
      UINT64 Size;
    } CopyContent;
    struct {
      D3DKMT_HANDLE hAllocation;
      HANDLE hSection;
    } QuerySection;
  };
} D3DKMT_VIDMM_ESCAPE;

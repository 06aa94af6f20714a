// Contexts, hardware queues and the objects that order their work.
#pragma once
#pragma GCC system_header

#include "d3dukmdt_base.h"

typedef struct _D3DDDI_CREATECONTEXTFLAGS {
  union {
    struct {
      UINT NullRendering : 1;
      UINT InitialData : 1;
      UINT DisableGpuTimeout : 1;
      UINT SynchronizationOnly : 1;
      UINT HwQueueSupported : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} D3DDDI_CREATECONTEXTFLAGS;

typedef struct _D3DDDI_CREATEHWCONTEXTFLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} D3DDDI_CREATEHWCONTEXTFLAGS;

typedef struct _D3DDDI_CREATEHWQUEUEFLAGS {
  union {
    struct {
      UINT DisableGpuTimeout : 1;
      UINT NoBroadcastSignal : 1;
      UINT NoBroadcastWait : 1;
      UINT NoKmdAccess : 1;
      UINT UserModeSubmission : 1;
      UINT TestQueue : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} D3DDDI_CREATEHWQUEUEFLAGS;

typedef struct _D3DDDI_CREATEHWQUEUEFORUSERMODESUBMISSION_FLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} D3DDDI_CREATEHWQUEUEFORUSERMODESUBMISSION_FLAGS;

#define D3DDDI_SYNC_OBJECT_WAIT 0x00000001
#define D3DDDI_SYNC_OBJECT_SIGNAL 0x00000002
#define D3DDDI_SYNC_OBJECT_ALL_ACCESS 0x001f0003

typedef enum _D3DDDI_SYNCHRONIZATIONOBJECT_TYPE {
  D3DDDI_SYNCHRONIZATION_MUTEX = 1,
  D3DDDI_SEMAPHORE = 2,
  D3DDDI_FENCE = 3,
  D3DDDI_CPU_NOTIFICATION = 4,
  D3DDDI_MONITORED_FENCE = 5,
  D3DDDI_PERIODIC_MONITORED_FENCE = 6,
  D3DDDI_NATIVE_FENCE = 7,
  D3DDDI_SYNCHRONIZATION_TYPE_LIMIT = 8,
} D3DDDI_SYNCHRONIZATIONOBJECT_TYPE;

typedef struct _D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS {
  union {
    struct {
      UINT Shared : 1;
      UINT NtSecuritySharing : 1;
      UINT CrossAdapter : 1;
      UINT TopOfPipeline : 1;
      UINT NoSignal : 1;
      UINT NoWait : 1;
      UINT NoSignalMaxValueOnTdr : 1;
      UINT NoGPUAccess : 1;
      UINT SignalByKmd : 1;
      UINT LocalMemoryPreferred : 1;
      UINT Reserved : 21;
      UINT D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS_RESERVED0 : 1;
    };
    UINT Value;
  };
} D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

typedef struct _D3DDDI_SYNCHRONIZATIONOBJECTINFO {
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE Type;
  union {
    struct {
      BOOL InitialState;
    } SynchronizationMutex;
    struct {
      UINT MaxCount;
      UINT InitialCount;
    } Semaphore;
    struct {
      UINT Reserved[16];
    } Reserved;
  };
} D3DDDI_SYNCHRONIZATIONOBJECTINFO;

typedef struct _D3DDDI_SYNCHRONIZATIONOBJECTINFO2 {
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE Type;
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
  union {
    struct {
      BOOL InitialState;
    } SynchronizationMutex;
    struct {
      UINT MaxCount;
      UINT InitialCount;
    } Semaphore;
    struct {
      UINT64 FenceValue;
    } Fence;
    struct {
      HANDLE Event;
    } CPUNotification;
    struct {
      UINT64 InitialFenceValue;
      VOID* FenceValueCPUVirtualAddress;
      D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;
      UINT EngineAffinity;
      UINT Padding;
    } MonitoredFence;
    struct {
      D3DKMT_HANDLE hAdapter;
      D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
      UINT64 Time;
      VOID* FenceValueCPUVirtualAddress;
      D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;
      UINT EngineAffinity;
      UINT Padding;
    } PeriodicMonitoredFence;
    struct {
      UINT64 Reserved[8];
    } Reserved;
  };
  D3DKMT_HANDLE SharedHandle;
} D3DDDI_SYNCHRONIZATIONOBJECTINFO2;

typedef struct _D3DDDICB_SIGNALFLAGS {
  union {
    struct {
      UINT SignalAtSubmission : 1;
      UINT EnqueueCpuEvent : 1;
      UINT AllowFenceRewind : 1;
      UINT DXGK_SIGNAL_FLAG_INTERNAL0 : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} D3DDDICB_SIGNALFLAGS;

typedef struct _D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS {
  union {
    struct {
      UINT WaitAny : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS;

#define D3DDDI_NATIVE_FENCE_PDD_SIZE 64

typedef enum _D3DDDI_NATIVEFENCE_TYPE {
  D3DDDI_NATIVEFENCE_TYPE_DEFAULT = 0,
  D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU = 1,
} D3DDDI_NATIVEFENCE_TYPE;

typedef struct _D3DDDI_NATIVEFENCEMAPPING {
  VOID* CurrentValueCpuVa;
  D3DGPU_VIRTUAL_ADDRESS CurrentValueGpuVa;
  D3DGPU_VIRTUAL_ADDRESS MonitoredValueGpuVa;
  BYTE Reserved[32];
} D3DDDI_NATIVEFENCEMAPPING;

typedef struct _D3DDDI_NATIVEFENCEINFO {
  UINT64 InitialFenceValue;
  UINT EngineAffinity;
  D3DDDI_NATIVEFENCE_TYPE Type;
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
  D3DDDI_NATIVEFENCEMAPPING NativeFenceMapping;
  UINT PhysicalAdapterIndex;
  BYTE Reserved[24];
} D3DDDI_NATIVEFENCEINFO;

typedef struct _D3DDDI_NATIVEFENCELOGDETAIL {
  UINT WaitLogNumberOfEntries;
  UINT SignalLogNumberOfEntries;
  D3DGPU_VIRTUAL_ADDRESS WaitLogGpuBaseAddress;
  D3DGPU_VIRTUAL_ADDRESS SignalLogGpuBaseAddress;
  BYTE Reserved[64];
} D3DDDI_NATIVEFENCELOGDETAIL;

typedef enum _DXGK_NATIVE_FENCE_LOG_TYPE {
  DXGK_NATIVE_FENCE_LOG_TYPE_WAITS = 1,
  DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS = 2,
} DXGK_NATIVE_FENCE_LOG_TYPE;

typedef enum _DXGK_NATIVE_FENCE_LOG_OPERATION {
  DXGK_NATIVE_FENCE_LOG_OPERATION_SIGNAL_EXECUTED = 0,
  DXGK_NATIVE_FENCE_LOG_OPERATION_WAIT_UNBLOCKED = 1,
} DXGK_NATIVE_FENCE_LOG_OPERATION;

typedef struct _DXGK_NATIVE_FENCE_LOG_HEADER {
  union {
    struct {
      UINT FirstFreeEntryIndex;
      UINT WraparoundCount;
    };
    UINT64 AtomicWraparoundAndEntryIndex;
  };
  DXGK_NATIVE_FENCE_LOG_TYPE Type;
  UINT64 NumberOfEntries;
  UINT64 Reserved[2];
} DXGK_NATIVE_FENCE_LOG_HEADER;

typedef struct _DXGK_NATIVE_FENCE_LOG_ENTRY {
  UINT64 FenceValue;
  D3DKMT_HANDLE hNativeFence;
  UINT OperationType;
  UINT64 Reserved0;
  UINT64 FenceObservedGpuTimestamp;
  UINT64 Reserved1;
  UINT64 FenceEndGpuTimestamp;
} DXGK_NATIVE_FENCE_LOG_ENTRY;

typedef struct _DXGK_NATIVE_FENCE_LOG_BUFFER {
  DXGK_NATIVE_FENCE_LOG_HEADER Header;
  DXGK_NATIVE_FENCE_LOG_ENTRY Entries[1];
} DXGK_NATIVE_FENCE_LOG_BUFFER;

#define D3DDDI_UMS_PDD_SIZE 64
#define D3DDDI_DOORBELL_PRIVATEDATA_MAX_BYTES_WDDM3_1 16

typedef enum _D3DDDI_DOORBELLSTATUS {
  D3DDDI_DOORBELLSTATUS_CONNECTED = 0,
  D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD = 1,
  D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY = 2,
  D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT = 3,
} D3DDDI_DOORBELLSTATUS;

typedef struct _D3DDDI_DOORBELLMAPPING {
  VOID* CpuVa;
  VOID* SecondaryCpuVa;
} D3DDDI_DOORBELLMAPPING;

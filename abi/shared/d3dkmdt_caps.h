// What an adapter and its engines can do, how they run and how they fail.
#pragma once
#pragma GCC system_header

#include "d3dkmdt_surface.h"

typedef struct _D3DKMT_WDDM_1_2_CAPS {
  D3DKMDT_PREEMPTION_CAPS PreemptionCaps;
  union {
    struct {
      UINT SupportNonVGA : 1;
      UINT SupportSmoothRotation : 1;
      UINT SupportPerEngineTDR : 1;
      UINT SupportKernelModeCommandBuffer : 1;
      UINT SupportCCD : 1;
      UINT SupportSoftwareDeviceBitmaps : 1;
      UINT SupportGammaRamp : 1;
      UINT SupportHWCursor : 1;
      UINT SupportHWVSync : 1;
      UINT SupportSurpriseRemovalInHibernation : 1;
      UINT Reserved : 22;
    };
    UINT Value;
  };
} D3DKMT_WDDM_1_2_CAPS;

#pragma pack(push, 1)
typedef struct _D3DKMT_WDDM_1_3_CAPS {
  union {
    struct {
      UINT SupportMiracast : 1;
      UINT IsHybridIntegratedGPU : 1;
      UINT IsHybridDiscreteGPU : 1;
      UINT SupportPowerManagementPStates : 1;
      UINT SupportVirtualModes : 1;
      UINT SupportCrossAdapterResource : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} D3DKMT_WDDM_1_3_CAPS;

typedef struct _D3DKMT_WDDM_2_0_CAPS {
  union {
    struct {
      UINT Support64BitAtomics : 1;
      UINT GpuMmuSupported : 1;
      UINT IoMmuSupported : 1;
      UINT FlipOverwriteSupported : 1;
      UINT SupportContextlessPresent : 1;
      UINT SupportSurpriseRemoval : 1;
      UINT Reserved : 26;
    };
    UINT Value;
  };
} D3DKMT_WDDM_2_0_CAPS;

typedef struct _D3DKMT_WDDM_2_7_CAPS {
  union {
    struct {
      UINT HwSchSupported : 1;
      UINT HwSchEnabled : 1;
      UINT HwSchEnabledByDefault : 1;
      UINT IndependentVidPnVSyncControl : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} D3DKMT_WDDM_2_7_CAPS;

typedef struct _D3DKMT_WDDM_2_9_CAPS {
  union {
    struct {
      UINT HwSchSupportState : 2;
      UINT HwSchEnabled : 1;
      UINT SelfRefreshMemorySupported : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} D3DKMT_WDDM_2_9_CAPS;

typedef struct _D3DKMT_WDDM_3_0_CAPS {
  union {
    struct {
      UINT HwFlipQueueSupportState : 2;
      UINT HwFlipQueueEnabled : 1;
      UINT DisplayableSupported : 1;
      UINT Reserved : 28;
    };
    UINT Value;
  };
} D3DKMT_WDDM_3_0_CAPS;

typedef struct _D3DKMT_WDDM_3_1_CAPS {
  union {
    struct {
      UINT NativeGpuFenceSupported : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DKMT_WDDM_3_1_CAPS;
#pragma pack(pop)

// How firmly a driver supports a feature: the SupportState fields above.
#define DXGK_FEATURE_SUPPORT_ALWAYS_OFF 0x00000000
#define DXGK_FEATURE_SUPPORT_EXPERIMENTAL 0x00000001
#define DXGK_FEATURE_SUPPORT_STABLE 0x00000002
#define DXGK_FEATURE_SUPPORT_ALWAYS_ON 0x00000003

typedef enum DXGK_ENGINE_TYPE {
  DXGK_ENGINE_TYPE_OTHER = 0,
  DXGK_ENGINE_TYPE_3D = 1,
  DXGK_ENGINE_TYPE_VIDEO_DECODE = 2,
  DXGK_ENGINE_TYPE_VIDEO_ENCODE = 3,
  DXGK_ENGINE_TYPE_VIDEO_PROCESSING = 4,
  DXGK_ENGINE_TYPE_SCENE_ASSEMBLY = 5,
  DXGK_ENGINE_TYPE_COPY = 6,
  DXGK_ENGINE_TYPE_OVERLAY = 7,
  DXGK_ENGINE_TYPE_CRYPTO = 8,
  DXGK_ENGINE_TYPE_VIDEO_CODEC = 9,
  DXGK_ENGINE_TYPE_MAX = 10,
} DXGK_ENGINE_TYPE;

#define DXGK_MAX_METADATA_NAME_LENGTH 32
#define DXGK_MAX_GPUVERSION_NAME_LENGTH 32

#pragma pack(push, 1)
// The documentation gives neither a width for MaxInFlightHwQueueBuffers nor a place for the bit after it: our choice.
typedef struct _DXGK_NODEMETADATA_FLAGS {
  union {
    struct {
      UINT ContextSchedulingSupported : 1;
      UINT RingBufferFenceRelease : 1;
      UINT SupportTrackedWorkload : 1;
      UINT UserModeSubmission : 1;
      UINT MaxInFlightHwQueueBuffers : 8;
      UINT SupportBuildTestCommandBuffer : 1;
      UINT Reserved : 19;
    };
    UINT Value;
  };
} DXGK_NODEMETADATA_FLAGS;

typedef struct _DXGK_NODEMETADATA {
  DXGK_ENGINE_TYPE EngineType;
  WCHAR FriendlyName[DXGK_MAX_METADATA_NAME_LENGTH];
  DXGK_NODEMETADATA_FLAGS Flags;
  BOOLEAN GpuMmuSupported;
  BOOLEAN IoMmuSupported;
} DXGK_NODEMETADATA;

typedef DXGK_NODEMETADATA DXGKARG_GETNODEMETADATA;

typedef struct _D3DKMT_NODEMETADATA {
  UINT NodeOrdinalAndAdapterIndex;
  DXGK_NODEMETADATA NodeData;
} D3DKMT_NODEMETADATA;

typedef struct _D3DKMT_TRACKEDWORKLOAD_SUPPORT {
  UINT PhysicalAdapterIndex;
  DXGK_ENGINE_TYPE EngineType;
  BOOL Support;
} D3DKMT_TRACKEDWORKLOAD_SUPPORT;

typedef struct _DXGK_GPUCLOCKDATA_FLAGS {
  union {
    struct {
      UINT ContextManagementProcessor : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_GPUCLOCKDATA_FLAGS;

typedef struct _DXGK_GPUCLOCKDATA {
  UINT64 GpuFrequency;
  UINT64 GpuClockCounter;
  UINT64 CpuClockCounter;
  DXGK_GPUCLOCKDATA_FLAGS Flags;
} DXGK_GPUCLOCKDATA;

typedef DXGK_GPUCLOCKDATA DXGKARG_CALIBRATEGPUCLOCK;

typedef struct _D3DKMT_QUERYCLOCKCALIBRATION {
  D3DKMT_HANDLE hAdapter;
  UINT NodeOrdinal;
  UINT PhysicalAdapterIndex;
  DXGK_GPUCLOCKDATA ClockData;
} D3DKMT_QUERYCLOCKCALIBRATION;

typedef struct _DXGK_NODE_PERFDATA {
  UINT64 Frequency;
  UINT64 MaxFrequency;
  UINT64 MaxFrequencyOC;
  UINT Voltage;
  UINT VoltageMax;
  UINT VoltageMaxOC;
  UINT64 MaxTransitionLatency;
} DXGK_NODE_PERFDATA;

typedef struct _DXGK_ADAPTER_PERFDATA {
  UINT64 MemoryFrequency;
  UINT64 MaxMemoryFrequency;
  UINT64 MaxMemoryFrequencyOC;
  UINT64 MemoryBandwidth;
  UINT64 PCIEBandwidth;
  UINT FanRPM;
  UINT Power;
  UINT Temperature;
  UCHAR PowerStateOverride;
} DXGK_ADAPTER_PERFDATA;

typedef struct _DXGK_ADAPTER_PERFDATACAPS {
  UINT64 MaxMemoryBandwidth;
  UINT64 MaxPCIEBandwidth;
  UINT MaxFanRPM;
  UINT TemperatureMax;
  UINT TemperatureWarning;
} DXGK_ADAPTER_PERFDATACAPS;

typedef struct _DXGK_GPUVERSION {
  WCHAR BiosVersion[DXGK_MAX_GPUVERSION_NAME_LENGTH];
  WCHAR GpuArchitecture[DXGK_MAX_GPUVERSION_NAME_LENGTH];
} DXGK_GPUVERSION;
#pragma pack(pop)

typedef enum _DXGK_PAGE_FAULT_FLAGS {
  DXGK_PAGE_FAULT_WRITE = 0x1,
  DXGK_PAGE_FAULT_FENCE_INVALID = 0x2,
  DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED = 0x4,
  DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED = 0x8,
  DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR = 0x10,
  DXGK_PAGE_FAULT_IOMMU = 0x20,
  DXGK_PAGE_FAULT_HW_CONTEXT_VALID = 0x40,
  DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID = 0x80,
  DXGK_PAGE_FAULT_AND_STALL = 0x100,
  DXGK_PAGE_FAULT_FIRST_INVALID = 0x200,
} DXGK_PAGE_FAULT_FLAGS;

#define DXGK_VALID_FAULT_AND_STALL_FLAGS 0x0000010c
#define DXGK_BIND_TABLE_ENTRY_UNKNOWN 0xffffffffu
#define DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN 0xffffffffffffffffull

typedef enum _DXGK_RENDER_PIPELINE_STAGE {
  DXGK_RENDER_PIPELINE_STAGE_UNKNOWN = 0,
  DXGK_RENDER_PIPELINE_STAGE_INPUT_ASSEMBLER = 1,
  DXGK_RENDER_PIPELINE_STAGE_VERTEX_SHADER = 2,
  DXGK_RENDER_PIPELINE_STAGE_GEOMETRY_SHADER = 3,
  DXGK_RENDER_PIPELINE_STAGE_STREAM_OUTPUT = 4,
  DXGK_RENDER_PIPELINE_STAGE_RASTERIZER = 5,
  DXGK_RENDER_PIPELINE_STAGE_PIXEL_SHADER = 6,
  DXGK_RENDER_PIPELINE_STAGE_OUTPUT_MERGER = 7,
} DXGK_RENDER_PIPELINE_STAGE;

typedef enum _DXGK_GENERAL_ERROR_CODE {
  DXGK_GENERAL_ERROR_PAGE_FAULT = 0,
  DXGK_GENERAL_ERROR_INVALID_INSTRUCTION = 1,
} DXGK_GENERAL_ERROR_CODE;

#pragma pack(push, 1)
typedef struct _DXGK_FAULT_ERROR_CODE {
  union {
    struct {
      UINT IsDeviceSpecificCode : 1;
      DXGK_GENERAL_ERROR_CODE GeneralErrorCode : 31;
    };
    struct {
      UINT IsDeviceSpecificCodeReservedBit : 1;
      UINT DeviceSpecificCode : 31;
    };
  };
} DXGK_FAULT_ERROR_CODE;
#pragma pack(pop)

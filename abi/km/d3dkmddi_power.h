// Power components and their idle states.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_types.h"

// The values between MONITOR_REFRESH and OTHER and after OTHER follow the documentation's order.
typedef enum _DXGK_POWER_COMPONENT_TYPE {
  DXGK_POWER_COMPONENT_ENGINE = 0,
  DXGK_POWER_COMPONENT_MONITOR = 1,
  DXGK_POWER_COMPONENT_MONITOR_REFRESH = 2,
  DXGK_POWER_COMPONENT_MEMORY = 3,
  DXGK_POWER_COMPONENT_MEMORY_REFRESH = 4,
  DXGK_POWER_COMPONENT_OTHER = 5,
  DXGK_POWER_COMPONENT_D3_TRANSITION = 6,
  DXGK_POWER_COMPONENT_SHARED = 7,
  DXGK_POWER_COMPONENT_MAX = 8
} DXGK_POWER_COMPONENT_TYPE;

typedef struct _DXGK_POWER_COMPONENT_FLAGS {
  union {
    struct {
      UINT Reserved0 : 1;
      UINT DriverCompletesFStateTransition : 1;
      UINT TransitionTo_F0_OnDx : 1;
      UINT NoDebounce : 1;
      UINT ActiveInD3 : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_POWER_COMPONENT_FLAGS;

// The types in SharedDesc are ours.
typedef struct _DXGK_POWER_COMPONENT_MAPPING {
  DXGK_POWER_COMPONENT_TYPE ComponentType;
  union {
    struct {
      UINT NodeIndex;
    } EngineDesc;
    struct {
      UINT VidPnSourceID;
    } MonitorRefreshDesc;
    struct {
      UINT VidPnTargetID;
    } MonitorDesc;
    struct {
      UINT SegmentID;
    } MemoryDesc;
    struct {
      UINT SharedTypeFlag;
      UINT DriverCustomValueSet;
      UINT SharedType;
    } SharedDesc;
  };
} DXGK_POWER_COMPONENT_MAPPING;

typedef struct _DXGK_POWER_RUNTIME_STATE {
  ULONGLONG TransitionLatency;
  ULONGLONG ResidencyRequirement;
  ULONG NominalPower;
} DXGK_POWER_RUNTIME_STATE;

// Only the number of F-states is documented; the other two bounds are ours.
#define DXGK_MAX_F_STATES 8
#define DXGK_POWER_COMPONENT_NAME_SIZE 40
#define DXGK_MAX_POWER_COMPONENT_PROVIDERS 16

typedef struct _DXGK_POWER_RUNTIME_COMPONENT {
  ULONG StateCount;
  DXGK_POWER_RUNTIME_STATE States[DXGK_MAX_F_STATES];
  DXGK_POWER_COMPONENT_MAPPING ComponentMapping;
  DXGK_POWER_COMPONENT_FLAGS Flags;
  GUID ComponentGuid;
  UCHAR ComponentName[DXGK_POWER_COMPONENT_NAME_SIZE];
  ULONG ProviderCount;
  ULONG Providers[DXGK_MAX_POWER_COMPONENT_PROVIDERS];
} DXGK_POWER_RUNTIME_COMPONENT;

// Control codes of the two control requests. Their names are public, their values are not: these spell our name.
DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_PREPARE_TO_START, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0,
            1);
DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_STARTED, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 2);
DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_STOPPED, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 3);
DEFINE_GUID(GUID_DXGKDDI_POWER_VOLTAGE_UP, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 4);
DEFINE_GUID(GUID_DXGKDDI_POWER_VOLTAGE_DOWN, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 5);
DEFINE_GUID(GUID_DXGKDDI_POWER_VOLTAGE, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 6);
DEFINE_GUID(GUID_DXGKDDI_POWER_CLOCK_UP, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 7);
DEFINE_GUID(GUID_DXGKDDI_POWER_CLOCK_DOWN, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 8);
DEFINE_GUID(GUID_DXGKDDI_POWER_CLOCK, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 9);
DEFINE_GUID(GUID_DXGKDDI_POWER_BANDWIDTH_UP, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 10);
DEFINE_GUID(GUID_DXGKDDI_POWER_BANDWIDTH_DOWN, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 11);
DEFINE_GUID(GUID_DXGKDDI_POWER_BANDWIDTH, 0x64727964, 0x6f63, 0x6b00, 'p', 'o', 'w', 'e', 'r', 0, 0, 12);

typedef NTSTATUS APIENTRY DXGKDDISETPOWERCOMPONENTFSTATE(IN_CONST_HANDLE DriverContext, UINT ComponentIndex,
                                                         UINT FState);
typedef DXGKDDISETPOWERCOMPONENTFSTATE* PDXGKDDISETPOWERCOMPONENTFSTATE;
typedef NTSTATUS APIENTRY DXGKDDIPOWERRUNTIMECONTROLREQUEST(IN_CONST_HANDLE DriverContext, LPCGUID PowerControlCode,
                                                            PVOID InBuffer, SIZE_T InBufferSize, PVOID OutBuffer,
                                                            SIZE_T OutBufferSize, PSIZE_T BytesReturned);
typedef DXGKDDIPOWERRUNTIMECONTROLREQUEST* PDXGKDDIPOWERRUNTIMECONTROLREQUEST;

typedef VOID(APIENTRY CALLBACK* DXGKCB_SETPOWERCOMPONENTACTIVE)(IN_CONST_HANDLE hAdapter, UINT ComponentIndex);
typedef VOID(APIENTRY CALLBACK* DXGKCB_SETPOWERCOMPONENTIDLE)(IN_CONST_HANDLE hAdapter, UINT ComponentIndex);
typedef VOID(APIENTRY CALLBACK* DXGKCB_SETPOWERCOMPONENTLATENCY)(IN_CONST_HANDLE hAdapter, UINT ComponentIndex,
                                                                 ULONGLONG Latency);
typedef VOID(APIENTRY CALLBACK* DXGKCB_SETPOWERCOMPONENTRESIDENCY)(IN_CONST_HANDLE hAdapter, UINT ComponentIndex,
                                                                   ULONGLONG Residency);
typedef VOID(APIENTRY CALLBACK* DXGKCB_COMPLETEFSTATETRANSITION)(IN_CONST_HANDLE hAdapter, UINT ComponentIndex);
typedef NTSTATUS(APIENTRY CALLBACK* DXGKCB_POWERRUNTIMECONTROLREQUEST)(IN_CONST_HANDLE hAdapter,
                                                                       LPCGUID PowerControlCode, PVOID InBuffer,
                                                                       SIZE_T InBufferSize, PVOID OutBuffer,
                                                                       SIZE_T OutBufferSize, PSIZE_T BytesReturned);

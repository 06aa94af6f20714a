// The life of a display adapter: start information, device information, and the driver functions that add, start,
// stop, interrupt, power and remove it.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"
#include "d3dkmddi.h"
#include "dispmprt_video.h"
#include "wdm.h"

typedef struct _DXGKRNL_INTERFACE DXGKRNL_INTERFACE, *PDXGKRNL_INTERFACE;

// Event numbers of DxgkAcpiEvent: notification values of the ACPI specification's display extensions. The values for
// docking and wake-up are ours.
#define ACPI_NOTIFY_DOCK_EVENT 0x77
#define ACPI_NOTIFY_PANEL_SWITCH 0x80
#define ACPI_NOTIFY_DEVICE_HOTPLUG 0x81
#define ACPI_NOTIFY_CYCLE_DISPLAY_HOTKEY 0x82
#define ACPI_NOTIFY_CYCLE_BRIGHTNESS_HOTKEY 0x85
#define ACPI_NOTIFY_INC_BRIGHTNESS_HOTKEY 0x86
#define ACPI_NOTIFY_DEC_BRIGHTNESS_HOTKEY 0x87
#define ACPI_NOTIFY_ZERO_BRIGHTNESS_HOTKEY 0x88
#define ACPI_NOTIFY_VIDEO_WAKEUP 0x90

// What DxgkDdiNotifyAcpiEvent asks of the port driver. The values are ours.
#define DXGK_ACPI_POLL_DISPLAY_CHILDREN 0x00000001
#define DXGK_ACPI_CHANGE_DISPLAY_MODE 0x00000002
#define DXGK_ACPI_CHANGE_DISPLAY_TOPOLOGY 0x00000004
#define DXGK_ACPI_CHAIN_NOT_HANDLED 0x00000008

typedef enum {
  DockStateUnsupported = 0,
  DockStateUnDocked = 1,
  DockStateDocked = 2,
  DockStateUnknown = 3
} DOCKING_STATE;

typedef enum _DXGK_EVENT_TYPE {
  DxgkUndefinedEvent = 0,
  DxgkAcpiEvent = 1,
  DxgkPowerStateEvent = 2,
  DxgkDockingEvent = 3,
  DxgkChainedAcpiEvent = 4
} DXGK_EVENT_TYPE,
    *PDXGK_EVENT_TYPE;

typedef enum _DXGK_SURPRISE_REMOVAL_TYPE {
  DxgkRemovalHibernation = 0,
  DxgkRemovalPnPNotify
} DXGK_SURPRISE_REMOVAL_TYPE;

typedef enum _DXGK_FRAMEBUFFER_STATE {
  FrameBufferStateUnknown = 0,
  FrameBufferStateInitializedByFirmware = 1,
  FrameBufferStateInitializedByDriver = 2
} DXGK_FRAMEBUFFER_STATE;

typedef struct _DXGK_START_INFO {
  ULONG RequiredDmaQueueEntry;
  GUID AdapterGuid;
  LUID AdapterLuid;
} DXGK_START_INFO, *PDXGK_START_INFO;

typedef struct _DXGK_DEVICE_INFO {
  PVOID MiniportDeviceContext;
  PDEVICE_OBJECT PhysicalDeviceObject;
  UNICODE_STRING DeviceRegistryPath;
  PCM_RESOURCE_LIST TranslatedResourceList;
  LARGE_INTEGER SystemMemorySize;
  PHYSICAL_ADDRESS HighestPhysicalAddress;
  PHYSICAL_ADDRESS AgpApertureBase;
  SIZE_T AgpApertureSize;
  DOCKING_STATE DockingState;
} DXGK_DEVICE_INFO, *PDXGK_DEVICE_INFO;

typedef struct _LINKED_DEVICE {
  ULONG ChainUid;
  ULONG NumberOfLinksInChain;
  BOOLEAN LeadLink;
} LINKED_DEVICE, *PLINKED_DEVICE;

typedef struct _DXGK_PRE_START_INFO {
  union {
    struct {
      UINT ReservedIn;
    };
    UINT Input;
  };
  union {
    struct {
      UINT SupportPreserveBootDisplay : 1;
      UINT IsUEFIFrameBufferCpuAccessibleDuringStartup : 1;
      UINT ReservedOut : 30;
    };
    UINT Output;
  };
} DXGK_PRE_START_INFO, *PDXGK_PRE_START_INFO;

typedef struct _DXGK_DISPLAY_OWNERSHIP_FLAGS {
  union {
    struct {
      DXGK_FRAMEBUFFER_STATE FrameBufferState : 4;
    };
    UINT Value;
  };
} DXGK_DISPLAY_OWNERSHIP_FLAGS, *PDXGK_DISPLAY_OWNERSHIP_FLAGS;

typedef struct _DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS, *PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS;

typedef struct _DXGKARG_SETTARGETADJUSTEDCOLORIMETRY2 {
  D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
  DXGK_COLORIMETRY AdjustedColorimetry;
  UINT SdrWhiteLevel;
} DXGKARG_SETTARGETADJUSTEDCOLORIMETRY2, *PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2;

// The annotated parameter types that drivers spell out. The pointer is const, not what it points to.
typedef const PVOID IN_CONST_PVOID;
typedef PVOID IN_PVOID;
typedef PVOID* OUT_PPVOID;
typedef ULONG IN_ULONG;
typedef PULONG OUT_PULONG;
typedef BOOLEAN IN_BOOLEAN;
typedef UCHAR IN_UCHAR;
typedef const PDEVICE_OBJECT IN_CONST_PDEVICE_OBJECT;
typedef PDXGK_START_INFO IN_PDXGK_START_INFO;
typedef PDXGKRNL_INTERFACE IN_PDXGKRNL_INTERFACE;
typedef DEVICE_POWER_STATE IN_DEVICE_POWER_STATE;
typedef POWER_ACTION IN_POWER_ACTION;
typedef DXGK_EVENT_TYPE IN_DXGK_EVENT_TYPE;
typedef PLINKED_DEVICE INOUT_PLINKED_DEVICE;
typedef PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2 IN_PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2;

EXTERN_C_START
typedef NTSTATUS DXGKDDI_ADD_DEVICE(const PDEVICE_OBJECT PhysicalDeviceObject, PVOID* MiniportDeviceContext);
typedef DXGKDDI_ADD_DEVICE* PDXGKDDI_ADD_DEVICE;
typedef NTSTATUS DXGKDDI_START_DEVICE(const PVOID MiniportDeviceContext, PDXGK_START_INFO DxgkStartInfo,
                                      PDXGKRNL_INTERFACE DxgkInterface, PULONG NumberOfVideoPresentSources,
                                      PULONG NumberOfChildren);
typedef DXGKDDI_START_DEVICE* PDXGKDDI_START_DEVICE;
typedef NTSTATUS DXGKDDI_STOP_DEVICE(const PVOID MiniportDeviceContext);
typedef DXGKDDI_STOP_DEVICE* PDXGKDDI_STOP_DEVICE;
typedef NTSTATUS DXGKDDI_REMOVE_DEVICE(const PVOID MiniportDeviceContext);
typedef DXGKDDI_REMOVE_DEVICE* PDXGKDDI_REMOVE_DEVICE;
typedef NTSTATUS DXGKDDI_DISPATCH_IO_REQUEST(const PVOID MiniportDeviceContext, ULONG VidPnSourceId,
                                             PVIDEO_REQUEST_PACKET VideoRequestPacket);
typedef DXGKDDI_DISPATCH_IO_REQUEST* PDXGKDDI_DISPATCH_IO_REQUEST;
typedef BOOLEAN DXGKDDI_INTERRUPT_ROUTINE(const PVOID MiniportDeviceContext, ULONG MessageNumber);
typedef DXGKDDI_INTERRUPT_ROUTINE* PDXGKDDI_INTERRUPT_ROUTINE;
typedef VOID DXGKDDI_DPC_ROUTINE(const PVOID MiniportDeviceContext);
typedef DXGKDDI_DPC_ROUTINE* PDXGKDDI_DPC_ROUTINE;
typedef NTSTATUS DXGKDDI_SET_POWER_STATE(const PVOID MiniportDeviceContext, ULONG DeviceUid,
                                         DEVICE_POWER_STATE DevicePowerState, POWER_ACTION ActionType);
typedef DXGKDDI_SET_POWER_STATE* PDXGKDDI_SET_POWER_STATE;
typedef NTSTATUS DXGKDDI_NOTIFY_ACPI_EVENT(const PVOID MiniportDeviceContext, DXGK_EVENT_TYPE EventType, ULONG Event,
                                           PVOID Argument, PULONG AcpiFlags);
typedef DXGKDDI_NOTIFY_ACPI_EVENT* PDXGKDDI_NOTIFY_ACPI_EVENT;
typedef VOID DXGKDDI_RESET_DEVICE(const PVOID MiniportDeviceContext);
typedef DXGKDDI_RESET_DEVICE* PDXGKDDI_RESET_DEVICE;
typedef VOID DXGKDDI_UNLOAD(VOID);
typedef DXGKDDI_UNLOAD* PDXGKDDI_UNLOAD;
typedef NTSTATUS DXGKDDI_QUERY_INTERFACE(const PVOID MiniportDeviceContext, PQUERY_INTERFACE QueryInterface);
typedef DXGKDDI_QUERY_INTERFACE* PDXGKDDI_QUERY_INTERFACE;
typedef VOID DXGKDDI_CONTROL_ETW_LOGGING(BOOLEAN Enable, ULONG Flags, UCHAR Level);
typedef DXGKDDI_CONTROL_ETW_LOGGING* PDXGKDDI_CONTROL_ETW_LOGGING;
typedef NTSTATUS DXGKDDI_LINK_DEVICE(const PDEVICE_OBJECT PhysicalDeviceObject, const PVOID MiniportDeviceContext,
                                     PLINKED_DEVICE LinkedDevice);
typedef DXGKDDI_LINK_DEVICE* PDXGKDDI_LINK_DEVICE;
typedef NTSTATUS DXGKDDI_EXCHANGEPRESTARTINFO(const HANDLE hAdapter, PDXGK_PRE_START_INFO pPreStartInfo);
typedef DXGKDDI_EXCHANGEPRESTARTINFO* PDXGKDDI_EXCHANGEPRESTARTINFO;
typedef NTSTATUS DXGKDDI_NOTIFY_SURPRISE_REMOVAL(PVOID MiniportDeviceContext, DXGK_SURPRISE_REMOVAL_TYPE RemovalType);
typedef DXGKDDI_NOTIFY_SURPRISE_REMOVAL* PDXGKDDI_NOTIFY_SURPRISE_REMOVAL;

typedef NTSTATUS DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP(PVOID MiniportDeviceContext,
                                                                        D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
                                                                        PDXGK_DISPLAY_INFORMATION DisplayInfo);
typedef DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP* PDXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP;
typedef NTSTATUS DXGKDDI_SYSTEM_DISPLAY_ENABLE(PVOID MiniportDeviceContext, D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
                                               PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS Flags, UINT* Width, UINT* Height,
                                               D3DDDIFORMAT* ColorFormat);
typedef DXGKDDI_SYSTEM_DISPLAY_ENABLE* PDXGKDDI_SYSTEM_DISPLAY_ENABLE;
typedef VOID DXGKDDI_SYSTEM_DISPLAY_WRITE(PVOID MiniportDeviceContext, PVOID Source, UINT SourceWidth,
                                          UINT SourceHeight, UINT SourceStride, UINT PositionX, UINT PositionY);
typedef DXGKDDI_SYSTEM_DISPLAY_WRITE* PDXGKDDI_SYSTEM_DISPLAY_WRITE;

typedef NTSTATUS DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY(const HANDLE hAdapter, D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
                                                      DXGK_COLORIMETRY AdjustedColorimetry);
typedef DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY* PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY;
typedef NTSTATUS DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2(
    const HANDLE hAdapter, PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2 pArgSetTargetAdjustedColorimetry);
typedef DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2* PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2;
EXTERN_C_END

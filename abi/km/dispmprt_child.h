// Child devices of a display adapter: what they are, what state they are in, how they are described.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"
#include "wdm.h"

// The value is ours: the documentation gives only the name.
#define DXGK_MAX_REG_SZ_LEN 256

typedef enum _DXGK_CHILD_DEVICE_TYPE {
  TypeUninitialized,
  TypeVideoOutput,
  TypeOther,
  TypeIntegratedDisplay
} DXGK_CHILD_DEVICE_TYPE,
    *PDXGK_CHILD_DEVICE_TYPE;

typedef enum _DXGK_CHILD_STATUS_TYPE {
  StatusUninitialized,
  StatusConnection,
  StatusRotation,
  StatusMiracastConnection,
  StatusMiracast = StatusMiracastConnection
} DXGK_CHILD_STATUS_TYPE,
    *PDXGK_CHILD_STATUS_TYPE;

typedef struct _DXGK_VIDEO_OUTPUT_CAPABILITIES {
  D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
  D3DKMDT_MONITOR_ORIENTATION_AWARENESS MonitorOrientationAwareness;
  BOOLEAN SupportsSdtvModes;
} DXGK_VIDEO_OUTPUT_CAPABILITIES, *PDXGK_VIDEO_OUTPUT_CAPABILITIES;

typedef struct _DXGK_INTEGRATED_DISPLAY_CHILD {
  D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
  USHORT DescriptorLength;
} DXGK_INTEGRATED_DISPLAY_CHILD, *PDXGK_INTEGRATED_DISPLAY_CHILD;

typedef struct _DXGK_CHILD_CAPABILITIES {
  union {
    DXGK_VIDEO_OUTPUT_CAPABILITIES VideoOutput;
    struct {
      UINT MustBeZero;
    } Other;
    DXGK_INTEGRATED_DISPLAY_CHILD IntegratedDisplayChild;
  } Type;
  DXGK_CHILD_DEVICE_HPD_AWARENESS HpdAwareness;
} DXGK_CHILD_CAPABILITIES, *PDXGK_CHILD_CAPABILITIES;

typedef struct _DXGK_CHILD_DESCRIPTOR {
  DXGK_CHILD_DEVICE_TYPE ChildDeviceType;
  DXGK_CHILD_CAPABILITIES ChildCapabilities;
  ULONG AcpiUid;
  ULONG ChildUid;
} DXGK_CHILD_DESCRIPTOR, *PDXGK_CHILD_DESCRIPTOR;

typedef struct _DXGK_CHILD_STATUS {
  DXGK_CHILD_STATUS_TYPE Type;
  ULONG ChildUid;
  union {
    struct {
      BOOLEAN Connected;
    } HotPlug;
    struct {
      UCHAR Angle;
    } Rotation;
    struct {
      BOOLEAN Connected;
      D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY MiracastMonitorType;
    } Miracast;
  };
} DXGK_CHILD_STATUS, *PDXGK_CHILD_STATUS;

typedef struct _DXGK_CHILD_CONTAINER_ID {
  GUID ContainerId;
  struct {
    ULONG64 PortId;
    USHORT ManufacturerName;
    USHORT ProductCode;
  } EldInfo;
} DXGK_CHILD_CONTAINER_ID, *PDXGK_CHILD_CONTAINER_ID;

typedef struct _DXGK_DEVICE_DESCRIPTOR {
  ULONG DescriptorOffset;
  ULONG DescriptorLength;
  PVOID DescriptorBuffer;
} DXGK_DEVICE_DESCRIPTOR, *PDXGK_DEVICE_DESCRIPTOR;

typedef struct _DXGK_GENERIC_DESCRIPTOR {
  WCHAR HardwareId[DXGK_MAX_REG_SZ_LEN];
  WCHAR InstanceId[DXGK_MAX_REG_SZ_LEN];
  WCHAR CompatibleId[DXGK_MAX_REG_SZ_LEN];
  WCHAR DeviceText[DXGK_MAX_REG_SZ_LEN];
} DXGK_GENERIC_DESCRIPTOR, *PDXGK_GENERIC_DESCRIPTOR;

typedef PDXGK_CHILD_DESCRIPTOR INOUT_PDXGK_CHILD_DESCRIPTOR;
typedef PDXGK_CHILD_STATUS IN_PDXGK_CHILD_STATUS;
typedef PDXGK_CHILD_STATUS INOUT_PDXGK_CHILD_STATUS;
typedef PDXGK_CHILD_CONTAINER_ID INOUT_PDXGK_CHILD_CONTAINER_ID;
typedef PDXGK_DEVICE_DESCRIPTOR INOUT_PDXGK_DEVICE_DESCRIPTOR;

EXTERN_C_START
typedef NTSTATUS DXGKDDI_QUERY_CHILD_RELATIONS(const PVOID MiniportDeviceContext, PDXGK_CHILD_DESCRIPTOR ChildRelations,
                                               ULONG ChildRelationsSize);
typedef DXGKDDI_QUERY_CHILD_RELATIONS* PDXGKDDI_QUERY_CHILD_RELATIONS;
typedef NTSTATUS DXGKDDI_QUERY_CHILD_STATUS(const PVOID MiniportDeviceContext, PDXGK_CHILD_STATUS ChildStatus,
                                            BOOLEAN NonDestructiveOnly);
typedef DXGKDDI_QUERY_CHILD_STATUS* PDXGKDDI_QUERY_CHILD_STATUS;
typedef NTSTATUS DXGKDDI_QUERY_DEVICE_DESCRIPTOR(const PVOID MiniportDeviceContext, ULONG ChildUid,
                                                 PDXGK_DEVICE_DESCRIPTOR DeviceDescriptor);
typedef DXGKDDI_QUERY_DEVICE_DESCRIPTOR* PDXGKDDI_QUERY_DEVICE_DESCRIPTOR;
typedef NTSTATUS DXGKDDI_GET_CHILD_CONTAINER_ID(PVOID MiniportDeviceContext, ULONG ChildUid,
                                                PDXGK_CHILD_CONTAINER_ID ContainerId);
typedef DXGKDDI_GET_CHILD_CONTAINER_ID* PDXGKDDI_GET_CHILD_CONTAINER_ID;
EXTERN_C_END

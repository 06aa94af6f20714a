// Diagnostics that the driver reports on its own account, and private data collected from it when something failed.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"
#include "wdm.h"

// The values are ours: the documentation gives only the names.
#define DXGK_DUMP_BUCKETING_BUFFER_SIZE 256
#define DXGK_DUMP_DESCRIPTION_BUFFER_SIZE 256

typedef struct _DXGK_DIAGTYPE_NOTIFICATIONS {
  union {
    struct {
      UINT PanelSelfRefreshSoftware : 1;
      UINT PanelSelfRefreshHardware : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_DIAGTYPE_NOTIFICATIONS;

typedef struct _DXGK_DIAGTYPE_PROGRESSIONS {
  union {
    struct {
      UINT SyncLockEnableSync : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DIAGTYPE_PROGRESSIONS;

typedef struct _DXGK_DIAGNOSTIC_CATEGORIES {
  union {
    struct {
      UINT Notifications : 1;
      UINT Progressions : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_DIAGNOSTIC_CATEGORIES;

typedef struct _DXGK_DIAGNOSTIC_TYPES {
  union {
    DXGK_DIAGTYPE_NOTIFICATIONS Notifications;
    DXGK_DIAGTYPE_PROGRESSIONS Progressions;
    UINT Value;
  };
} DXGK_DIAGNOSTIC_TYPES;

typedef struct _DXGK_DIAGNOSTIC_HEADER {
  DXGK_DIAGNOSTIC_CATEGORIES Category;
  DXGK_DIAGNOSTIC_TYPES Type;
  union {
    struct {
      UINT Size : 16;
      UINT Reserved : 16;
    };
    UINT Value;
  };
  UINT SequenceNumber;
  union {
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID SourceId;
    UINT Id;
  };
} DXGK_DIAGNOSTIC_HEADER, *PDXGK_DIAGNOSTIC_HEADER;

typedef union _DXGK_DIAGNOSTIC_PSR_REFRESH_REASON {
  struct {
    UINT Present : 1;
    UINT CursorUpdate : 1;
    UINT VSyncEnabled : 1;
    UINT ColorTransformationChange : 1;
    UINT BrightnessChange : 1;
    UINT SinkRequest : 1;
    UINT Other : 1;
    UINT Reserved : 25;
  };
  UINT Value;
} DXGK_DIAGNOSTIC_PSR_REFRESH_REASON;

typedef struct _DXGK_DIAGNOSTIC_PSR {
  DXGK_DIAGNOSTIC_HEADER Header;
  union {
    DXGK_DIAGNOSTIC_PSR_REFRESH_REASON RefreshReason;
    UINT Value;
  };
} DXGK_DIAGNOSTIC_PSR;

typedef struct _DXGK_DIAGNOSTIC_SYNCLOCK_ENABLESYNC {
  DXGK_DIAGNOSTIC_HEADER Header;
  union {
    struct {
      UINT DuringSetTiming : 1;
      UINT EnableSyncStart : 1;
      UINT EnableSyncEnd : 1;
      UINT Reserved : 29;
    } SyncLockEnableSync;
    UINT Value;
  };
} DXGK_DIAGNOSTIC_SYNCLOCK_ENABLESYNC;

typedef struct _DXGKARG_QUERYDIAGNOSTICTYPESSUPPORT {
  DXGK_DIAGNOSTIC_CATEGORIES DiagnosticCategory;
  DXGK_DIAGNOSTIC_TYPES NoninvasiveTypes;
  DXGK_DIAGNOSTIC_TYPES InvasiveTypes;
} DXGKARG_QUERYDIAGNOSTICTYPESSUPPORT, *PDXGKARG_QUERYDIAGNOSTICTYPESSUPPORT;

typedef struct _DXGKARG_CONTROLDIAGNOSTICREPORTING {
  DXGK_DIAGNOSTIC_CATEGORIES DiagnosticCategory;
  DXGK_DIAGNOSTIC_TYPES RequestedDiagnostics;
} DXGKARG_CONTROLDIAGNOSTICREPORTING, *PDXGKARG_CONTROLDIAGNOSTICREPORTING;

typedef enum _DXGK_DIAGNOSTICINFO_TYPE {
  DXGK_DI_ADDDEVICE,
  DXGK_DI_STARTDEVICE,
  DXGK_DI_BLACKSCREEN
} DXGK_DIAGNOSTICINFO_TYPE;

typedef struct _DXGKARG_COLLECTDIAGNOSTICINFO {
  HANDLE hAdapter;
  DXGK_DIAGNOSTICINFO_TYPE Type;
  CHAR BucketingString[DXGK_DUMP_BUCKETING_BUFFER_SIZE];
  CHAR DescriptionString[DXGK_DUMP_DESCRIPTION_BUFFER_SIZE];
  union {
    VOID* pReserved;
  };
  UINT BufferSizeIn;
  UINT BufferSizeOut;
  VOID* pBuffer;
} DXGKARG_COLLECTDIAGNOSTICINFO, *PDXGKARG_COLLECTDIAGNOSTICINFO;

typedef PDXGK_DIAGNOSTIC_HEADER IN_PDXGK_DIAGNOSTIC_HEADER;
typedef PDXGKARG_QUERYDIAGNOSTICTYPESSUPPORT INOUT_PDXGKARG_QUERYDIAGNOSTICTYPESSUPPORT;
typedef PDXGKARG_CONTROLDIAGNOSTICREPORTING IN_PDXGKARG_CONTROLDIAGNOSTICREPORTING;
typedef PDXGKARG_COLLECTDIAGNOSTICINFO INOUT_PDXGKARG_COLLECTDIAGNOSTICINFO;

EXTERN_C_START
typedef NTSTATUS DXGKDDI_QUERYDIAGNOSTICTYPESSUPPORT(
    const PVOID MiniportDeviceContext, PDXGKARG_QUERYDIAGNOSTICTYPESSUPPORT pArgQueryDiagnosticTypesSupport);
typedef DXGKDDI_QUERYDIAGNOSTICTYPESSUPPORT* PDXGKDDI_QUERYDIAGNOSTICTYPESSUPPORT;
typedef NTSTATUS DXGKDDI_CONTROLDIAGNOSTICREPORTING(const PVOID MiniportDeviceContext,
                                                    PDXGKARG_CONTROLDIAGNOSTICREPORTING pArgControlDiagnosticReporting);
typedef DXGKDDI_CONTROLDIAGNOSTICREPORTING* PDXGKDDI_CONTROLDIAGNOSTICREPORTING;
typedef NTSTATUS DXGKDDI_COLLECTDIAGNOSTICINFO(const PDEVICE_OBJECT PhysicalDeviceObject,
                                               PDXGKARG_COLLECTDIAGNOSTICINFO pCollectDiagnosticInfo);
typedef DXGKDDI_COLLECTDIAGNOSTICINFO* PDXGKDDI_COLLECTDIAGNOSTICINFO;
EXTERN_C_END

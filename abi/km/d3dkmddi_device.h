// Processes, devices and contexts as the graphics kernel creates them in a driver.
#pragma once
#pragma GCC system_header

#include "d3dkmddi_types.h"

typedef struct _DXGK_CREATEPROCESSFLAGS {
  union {
    struct {
      UINT SystemProcess : 1;
      UINT GdiProcess : 1;
      UINT VirtualMachineProcess : 1;
      UINT VirtualMachineWorkerProcess : 1;
      UINT SessionIsolatedContainer : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_CREATEPROCESSFLAGS;

typedef struct _DXGKARG_CREATEPROCESS {
  HANDLE hDxgkProcess;
  HANDLE hKmdProcess;
  DXGK_CREATEPROCESSFLAGS Flags;
  UINT NumPasid;
  ULONG* pPasid;
  HANDLE hKmdVmWorkerProcess;
  UINT ProcessNameLength;
  WCHAR* pProcessName;
} DXGKARG_CREATEPROCESS;
typedef DXGKARG_CREATEPROCESS* INOUT_PDXGKARG_CREATEPROCESS;

typedef struct _DXGK_CREATEDEVICEFLAGS {
  union {
    struct {
      UINT SystemDevice : 1;
      UINT GdiDevice : 1;
      UINT Reserved : 29;
      UINT DXGK_DEVICE_RESERVED0 : 1;
    };
    UINT Value;
  };
} DXGK_CREATEDEVICEFLAGS;

typedef struct _DXGK_DEVICEINFOFLAGS {
  union {
    struct {
      UINT GuaranteedDmaBufferContract : 1;
      UINT Reserved : 31;
    };
    UINT Value;
  };
} DXGK_DEVICEINFOFLAGS;

typedef struct _DXGK_DEVICEINFO {
  UINT DmaBufferSize;
  UINT DmaBufferSegmentSet;
  UINT DmaBufferPrivateDataSize;
  UINT AllocationListSize;
  UINT PatchLocationListSize;
  DXGK_DEVICEINFOFLAGS Flags;
} DXGK_DEVICEINFO;

typedef struct _DXGKARG_CREATEDEVICE {
  HANDLE hDevice;
  union {
    DXGK_CREATEDEVICEFLAGS Flags;
    DXGK_DEVICEINFO* pInfo;
  };
  ULONG Pasid;
  HANDLE hKmdProcess;
} DXGKARG_CREATEDEVICE;
typedef DXGKARG_CREATEDEVICE* INOUT_PDXGKARG_CREATEDEVICE;

typedef struct _DXGK_CREATECONTEXTFLAGS {
  union {
    struct {
      UINT SystemContext : 1;
      UINT GdiContext : 1;
      UINT VirtualAddressing : 1;
      UINT SystemProtectedContext : 1;
      UINT HwQueueSupported : 1;
      UINT Reserved : 27;
    };
    UINT Value;
  };
} DXGK_CREATECONTEXTFLAGS;

// What a GDI context must ask for.
#define DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT 256

typedef struct _DXGK_CONTEXTINFO_CAPS {
  union {
    struct {
      UINT NoPatchingRequired : 1;
      UINT DriverManagesResidency : 1;
      UINT UseIoMmu : 1;
      UINT Reserved : 29;
    };
    UINT Value;
  };
} DXGK_CONTEXTINFO_CAPS;

typedef struct _DXGK_CONTEXTINFO {
  UINT DmaBufferSize;
  UINT DmaBufferSegmentSet;
  UINT DmaBufferPrivateDataSize;
  UINT AllocationListSize;
  UINT PatchLocationListSize;
  UINT Reserved;
  DXGK_CONTEXTINFO_CAPS Caps;
  ULONG PagingCompanionNodeId;
} DXGK_CONTEXTINFO;

typedef struct _DXGKARG_CREATECONTEXT {
  HANDLE hContext;
  UINT NodeOrdinal;
  UINT EngineAffinity;
  DXGK_CREATECONTEXTFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  DXGK_CONTEXTINFO ContextInfo;
} DXGKARG_CREATECONTEXT;
typedef DXGKARG_CREATECONTEXT* INOUT_PDXGKARG_CREATECONTEXT;

typedef struct _DXGK_VIRTUALMACHINEDATAFLAGS {
  union {
    struct {
      UINT SecureVirtualMachine : 1;
      UINT LinuxVirtualMachine : 1;
      UINT Reserved : 30;
    };
    UINT Value;
  };
} DXGK_VIRTUALMACHINEDATAFLAGS;

typedef struct _DXGKARG_SETVIRTUALMACHINEDATA {
  HANDLE hKmdVmWorkerProcess;
  const GUID* pVmGuid;
  DXGK_VIRTUALMACHINEDATAFLAGS Flags;
} DXGKARG_SETVIRTUALMACHINEDATA;
typedef const DXGKARG_SETVIRTUALMACHINEDATA* IN_CONST_PDXGKARG_SETVIRTUALMACHINEDATA;

typedef struct _DXGKARG_ESCAPE {
  HANDLE hDevice;
  D3DDDI_ESCAPEFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
  HANDLE hKmdProcessHandle;
} DXGKARG_ESCAPE;
typedef const DXGKARG_ESCAPE* IN_CONST_PDXGKARG_ESCAPE;

typedef NTSTATUS APIENTRY DXGKDDI_CREATEPROCESS(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEPROCESS pArgs);
typedef DXGKDDI_CREATEPROCESS* PDXGKDDI_CREATEPROCESS;
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYPROCESS(IN_CONST_HANDLE hAdapter, IN_CONST_HANDLE hKmdProcess);
typedef DXGKDDI_DESTROYPROCESS* PDXGKDDI_DESTROYPROCESS;
typedef NTSTATUS APIENTRY DXGKDDI_CREATEDEVICE(IN_CONST_HANDLE hAdapter, INOUT_PDXGKARG_CREATEDEVICE pCreateDevice);
typedef DXGKDDI_CREATEDEVICE* PDXGKDDI_CREATEDEVICE;
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYDEVICE(IN_CONST_HANDLE hDevice);
typedef DXGKDDI_DESTROYDEVICE* PDXGKDDI_DESTROYDEVICE;
typedef NTSTATUS APIENTRY DXGKDDI_CREATECONTEXT(IN_CONST_HANDLE hDevice, INOUT_PDXGKARG_CREATECONTEXT pCreateContext);
typedef DXGKDDI_CREATECONTEXT* PDXGKDDI_CREATECONTEXT;
typedef NTSTATUS APIENTRY DXGKDDI_DESTROYCONTEXT(IN_CONST_HANDLE hContext);
typedef DXGKDDI_DESTROYCONTEXT* PDXGKDDI_DESTROYCONTEXT;
typedef NTSTATUS APIENTRY DXGKDDI_SETVIRTUALMACHINEDATA(IN_CONST_HANDLE hAdapter,
                                                        IN_CONST_PDXGKARG_SETVIRTUALMACHINEDATA Args);
typedef DXGKDDI_SETVIRTUALMACHINEDATA* PDXGKDDI_SETVIRTUALMACHINEDATA;
typedef NTSTATUS APIENTRY DXGKDDI_ESCAPE(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_ESCAPE pEscape);
typedef DXGKDDI_ESCAPE* PDXGKDDI_ESCAPE;

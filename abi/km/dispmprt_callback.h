// What the port driver offers every display miniport driver through DXGKRNL_INTERFACE, apart from d3dkmddi.h's part.
#pragma once
#pragma GCC system_header

#include "../shared/d3dkmdt.h"
#include "acpiioct.h"
#include "dispmprt_adapter.h"
#include "dispmprt_child.h"
#include "dispmprt_diagnostic.h"
#include "wdm.h"

// The documentation names these without values: the values are ours, configuration space being 0.
#define DXGK_WHICHSPACE_CONFIG 0x0u
#define DXGK_WHICHSPACE_ROM 0x1u
#define DXGK_WHICHSPACE_MCH 0x80000000u
#define DXGK_WHICHSPACE_BRIDGE 0x80000001u
#define DXGK_EXCLUDE_EVICT_ALL 0x1
#define DXGK_EXCLUDE_CALL_SYNCHRONOUS 0x2
#define DXGK_EXCLUDE_BRIDGE_ACCESS 0x4
#define DXGK_ACPI_PASS_ARGS_TO_CHILDREN 0x4b434150u

// Method names as ULONGs: "_HID" and "_DGS".
#define ACPI_METHOD_HARDWARE_ID 0x4449485fu
#define ACPI_METHOD_OUTPUT_DGS 0x5347445fu

typedef enum {
  DxgkServicesAgp,
  DxgkServicesDebugReport,
  DxgkServicesTimedOperation,
  DxgkServicesSPB,
  DxgkServicesBDD,
  DxgkServicesFirmwareTable,
  DxgkServicesIDD,
  DxgkServicesFeature
} DXGK_SERVICES;

// Named, but not described, by the documentation.
typedef struct _PCI_DEVICE_PRESENCE_PARAMETERS* PPCI_DEVICE_PRESENCE_PARAMETERS;

EXTERN_C_START
typedef VOID DXGKDDI_PROTECTED_CALLBACK(const PVOID MiniportDeviceContext, PVOID ProtectedCallbackContext,
                                        NTSTATUS ProtectionStatus);
typedef DXGKDDI_PROTECTED_CALLBACK* PDXGKDDI_PROTECTED_CALLBACK;

typedef NTSTATUS (*DXGKCB_EVAL_ACPI_METHOD)(HANDLE DeviceHandle, ULONG DeviceUid,
                                            PACPI_EVAL_INPUT_BUFFER_COMPLEX AcpiInputBuffer, ULONG AcpiInputSize,
                                            PACPI_EVAL_OUTPUT_BUFFER AcpiOutputBuffer, ULONG AcpiOutputSize);
typedef NTSTATUS (*DXGKCB_GET_DEVICE_INFORMATION)(HANDLE DeviceHandle, PDXGK_DEVICE_INFO DeviceInfo);
typedef NTSTATUS (*DXGKCB_INDICATE_CHILD_STATUS)(HANDLE DeviceHandle, PDXGK_CHILD_STATUS ChildStatus);
typedef NTSTATUS (*DXGKCB_MAP_MEMORY)(HANDLE DeviceHandle, PHYSICAL_ADDRESS TranslatedAddress, ULONG Length,
                                      BOOLEAN InIoSpace, BOOLEAN MapToUserMode, MEMORY_CACHING_TYPE CacheType,
                                      PVOID* VirtualAddress);
typedef NTSTATUS (*DXGKCB_UNMAP_MEMORY)(HANDLE DeviceHandle, PVOID VirtualAddress);
typedef BOOLEAN (*DXGKCB_QUEUE_DPC)(HANDLE DeviceHandle);
typedef NTSTATUS (*DXGKCB_QUERY_SERVICES)(HANDLE DeviceHandle, DXGK_SERVICES ServicesType, PINTERFACE Interface);
typedef NTSTATUS (*DXGKCB_READ_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer, ULONG Offset,
                                             ULONG Length, PULONG BytesRead);
typedef NTSTATUS (*DXGKCB_WRITE_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer, ULONG Offset,
                                              ULONG Length, PULONG BytesWritten);
typedef NTSTATUS (*DXGKCB_SYNCHRONIZE_EXECUTION)(HANDLE DeviceHandle, PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                                 PVOID Context, ULONG MessageNumber, PBOOLEAN ReturnValue);
typedef NTSTATUS (*DXGKCB_IS_DEVICE_PRESENT)(HANDLE DeviceHandle,
                                             PPCI_DEVICE_PRESENCE_PARAMETERS DevicePresenceParameters,
                                             PBOOLEAN DevicePresent);
typedef VOID (*DXGKCB_LOG_ETW_EVENT)(LPCGUID EventGuid, UCHAR Type, USHORT EventBufferSize, PVOID EventBuffer);
typedef NTSTATUS (*DXGKCB_EXCLUDE_ADAPTER_ACCESS)(HANDLE DeviceHandle, ULONG Attributes,
                                                  DXGKDDI_PROTECTED_CALLBACK DxgkProtectedCallback,
                                                  PVOID ProtectedCallbackContext);
typedef NTSTATUS (*DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP)(HANDLE DeviceHandle, PDXGK_DISPLAY_INFORMATION DisplayInfo);
typedef NTSTATUS (*DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2)(HANDLE DeviceHandle, PDXGK_DISPLAY_INFORMATION DisplayInfo,
                                                           PDXGK_DISPLAY_OWNERSHIP_FLAGS Flags);
typedef NTSTATUS (*DXGKCB_REPORT_DIAGNOSTIC)(HANDLE DeviceHandle, PDXGK_DIAGNOSTIC_HEADER pDiagnostic);
EXTERN_C_END

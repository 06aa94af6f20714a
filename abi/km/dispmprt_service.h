// Interfaces that a driver asks the port driver for with DxgkCbQueryServices.
#pragma once
#pragma GCC system_header

#include "wdm.h"

#define DXGK_AGP_INTERFACE_VERSION_1 0x01
#define DXGK_DEBUG_REPORT_INTERFACE_VERSION_1 0x01
#define DXGK_TIMED_OPERATION_INTERFACE_VERSION_1 0x01
#define DXGK_SPB_INTERFACE_VERSION_1 0x01
#define DXGK_FIRMWARE_TABLE_INTERFACE_VERSION_1 0x01

// The value is ours: the documentation gives only the name.
#define DXGK_DEBUG_REPORT_MAX_SIZE 0xf000

DECLARE_HANDLE(DXGK_DEBUG_REPORT_HANDLE);

EXTERN_C_START
typedef NTSTATUS (*DXGKCB_AGP_ALLOCATE_POOL)(HANDLE Context, ULONG AllocationSize, MEMORY_CACHING_TYPE CacheType,
                                             PPHYSICAL_ADDRESS PhysicalAddress, PVOID* VirtualAddress);
typedef NTSTATUS (*DXGKCB_AGP_FREE_POOL)(HANDLE Context, PVOID VirtualAddress);
typedef NTSTATUS (*DXGKCB_AGP_SET_COMMAND)(HANDLE Context, ULONG Command);

typedef struct _DXGK_AGP_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGKCB_AGP_ALLOCATE_POOL AgpAllocatePool;
  DXGKCB_AGP_FREE_POOL AgpFreePool;
  DXGKCB_AGP_SET_COMMAND AgpSetCommand;
} DXGK_AGP_INTERFACE, *PDXGK_AGP_INTERFACE;

typedef struct _DXGK_DEBUG_REPORT_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGK_DEBUG_REPORT_HANDLE(*DbgReportCreate)
  (HANDLE DeviceHandle, ULONG ulCode, ULONG_PTR ulpArg1, ULONG_PTR ulpArg2, ULONG_PTR ulpArg3, ULONG_PTR ulpArg4);
  BOOLEAN (*DbgReportSecondaryData)(DXGK_DEBUG_REPORT_HANDLE hReport, PVOID pvData, ULONG ulDataSize);
  VOID (*DbgReportComplete)(DXGK_DEBUG_REPORT_HANDLE hReport);
} DXGK_DEBUG_REPORT_INTERFACE, *PDXGK_DEBUG_REPORT_INTERFACE;

typedef struct _DXGK_TIMED_OPERATION {
  USHORT Size;
  ULONG_PTR OwnerTag;
  BOOLEAN OsHandled;
  BOOLEAN TimeoutTriggered;
  LARGE_INTEGER Timeout;
  LARGE_INTEGER StartTick;
} DXGK_TIMED_OPERATION, *PDXGK_TIMED_OPERATION;

typedef struct _DXGK_TIMED_OPERATION_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  NTSTATUS (*TimedOperationStart)(DXGK_TIMED_OPERATION* Op, const LARGE_INTEGER* Timeout, BOOLEAN OsHandled);
  NTSTATUS(*TimedOperationDelay)
  (DXGK_TIMED_OPERATION* Op, KPROCESSOR_MODE WaitMode, BOOLEAN Alertable, const LARGE_INTEGER* Interval);
  NTSTATUS(*TimedOperationWaitForSingleObject)
  (DXGK_TIMED_OPERATION* Op, PVOID Object, KWAIT_REASON WaitReason, KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
   const LARGE_INTEGER* Timeout);
} DXGK_TIMED_OPERATION_INTERFACE, *PDXGK_TIMED_OPERATION_INTERFACE;

typedef struct _DXGK_SPB_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  NTSTATUS(*OpenSpbResource)
  (HANDLE DeviceHandle, LARGE_INTEGER SpbReourceId, UNICODE_STRING* SpbResourceSubName, ACCESS_MASK DesiredAccess,
   ULONG ShareAccess, ULONG OpenOptions, VOID** SpbResource);
  NTSTATUS (*CloseSpbResource)(HANDLE DeviceHandle, VOID* SpbResource);
  NTSTATUS(*ReadSpbResource)
  (HANDLE DeviceHandle, VOID* SpbResource, ULONG Length, VOID* Buffer, LARGE_INTEGER* ByteOffset, HANDLE EventHandle,
   IO_STATUS_BLOCK* IoStatusBlock);
  NTSTATUS(*WriteSpbResource)
  (HANDLE DeviceHandle, VOID* SpbResource, ULONG Length, VOID* Buffer, LARGE_INTEGER* ByteOffset, HANDLE EventHandle,
   IO_STATUS_BLOCK* IoStatusBlock);
  NTSTATUS(*SpbResourceIoControl)
  (HANDLE DeviceHandle, VOID* SpbResource, ULONG IoControlCode, ULONG InBufferSize, VOID* InputBuffer,
   ULONG OutBufferSize, VOID* OutputBuffer, HANDLE EventHandle, IO_STATUS_BLOCK* IoStatusBlock);
} DXGK_SPB_INTERFACE, *PDXGK_SPB_INTERFACE;

// The enumeration takes no table identifier in the structure's documented declaration; newer prose lists one.
typedef struct _DXGK_FIRMWARE_TABLE_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  NTSTATUS(*EnumSystemFirmwareTables)
  (VOID* Context, ULONG ProviderSignature, ULONG BufferSize, VOID* Buffer, ULONG* RequiredSize);
  NTSTATUS(*ReadSystemFirmwareTable)
  (VOID* Context, ULONG ProviderSignature, ULONG TableId, ULONG BufferSize, VOID* Buffer, ULONG* RequiredSize);
} DXGK_FIRMWARE_TABLE_INTERFACE, *PDXGK_FIRMWARE_TABLE_INTERFACE;
EXTERN_C_END

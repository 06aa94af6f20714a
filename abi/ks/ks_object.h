// Objects: what a driver offers for creation, the headers behind file objects, object bags, and the hierarchy.
#pragma once
#pragma GCC system_header

#include "ks_com.h"
#include "ks_connect.h"

typedef struct {
  PDRIVER_DISPATCH Create;
  PVOID Context;
  UNICODE_STRING ObjectClass;
  PSECURITY_DESCRIPTOR SecurityDescriptor;
  ULONG Flags;
} KSOBJECT_CREATE_ITEM, *PKSOBJECT_CREATE_ITEM;

#define KSCREATE_ITEM_SECURITYCHANGED 0x00000001
#define KSCREATE_ITEM_WILDCARD 0x00000002
#define KSCREATE_ITEM_NOPARAMETERS 0x00000004
#define KSCREATE_ITEM_FREEONSTOP 0x00000008

// The create item of the object that an IRP_MJ_CREATE makes.
#define KSCREATE_ITEM_IRP_STORAGE(Irp) (*(PKSOBJECT_CREATE_ITEM*)&(Irp)->Tail.Overlay.DriverContext[0])

typedef struct {
  ULONG CreateItemsCount;
  PKSOBJECT_CREATE_ITEM CreateItemsList;
} KSOBJECT_CREATE, *PKSOBJECT_CREATE;

EXTERN_C_START
typedef VOID (*PFNKSITEMFREECALLBACK)(PKSOBJECT_CREATE_ITEM CreateItem);

typedef BOOLEAN (*PFAST_IO_DEVICE_CONTROL)(PFILE_OBJECT FileObject, BOOLEAN Wait, PVOID InputBuffer,
                                           ULONG InputBufferLength, PVOID OutputBuffer, ULONG OutputBufferLength,
                                           ULONG IoControlCode, PIO_STATUS_BLOCK IoStatus, PDEVICE_OBJECT DeviceObject);
typedef BOOLEAN (*PFAST_IO_READ)(PFILE_OBJECT FileObject, PLARGE_INTEGER FileOffset, ULONG Length, BOOLEAN Wait,
                                 ULONG LockKey, PVOID Buffer, PIO_STATUS_BLOCK IoStatus, PDEVICE_OBJECT DeviceObject);
typedef BOOLEAN (*PFAST_IO_WRITE)(PFILE_OBJECT FileObject, PLARGE_INTEGER FileOffset, ULONG Length, BOOLEAN Wait,
                                  ULONG LockKey, PVOID Buffer, PIO_STATUS_BLOCK IoStatus, PDEVICE_OBJECT DeviceObject);
EXTERN_C_END

typedef struct {
  PDRIVER_DISPATCH DeviceIoControl;
  PDRIVER_DISPATCH Read;
  PDRIVER_DISPATCH Write;
  PDRIVER_DISPATCH Flush;
  PDRIVER_DISPATCH Close;
  PDRIVER_DISPATCH QuerySecurity;
  PDRIVER_DISPATCH SetSecurity;
  PFAST_IO_DEVICE_CONTROL FastDeviceIoControl;
  PFAST_IO_READ FastRead;
  PFAST_IO_WRITE FastWrite;
} KSDISPATCH_TABLE, *PKSDISPATCH_TABLE;

#define KSDISPATCH_FASTIO 0x80000000

typedef enum { KSTARGET_STATE_DISABLED, KSTARGET_STATE_ENABLED } KSTARGET_STATE;

EXTERN_C_START
NTSTATUS KsAllocateDeviceHeader(KSDEVICE_HEADER* Header, ULONG ItemsCount, PKSOBJECT_CREATE_ITEM ItemsList);
VOID KsFreeDeviceHeader(KSDEVICE_HEADER Header);
NTSTATUS KsAllocateObjectHeader(KSOBJECT_HEADER* Header, ULONG ItemsCount, PKSOBJECT_CREATE_ITEM ItemsList, PIRP Irp,
                                const KSDISPATCH_TABLE* Table);
VOID KsFreeObjectHeader(KSOBJECT_HEADER Header);
NTSTATUS KsAddObjectCreateItemToDeviceHeader(KSDEVICE_HEADER Header, PDRIVER_DISPATCH Create, PVOID Context,
                                             PWSTR ObjectClass, PSECURITY_DESCRIPTOR SecurityDescriptor);
NTSTATUS KsAddObjectCreateItemToObjectHeader(KSOBJECT_HEADER Header, PDRIVER_DISPATCH Create, PVOID Context,
                                             PWSTR ObjectClass, PSECURITY_DESCRIPTOR SecurityDescriptor);
NTSTATUS KsAllocateObjectCreateItem(KSDEVICE_HEADER Header, PKSOBJECT_CREATE_ITEM CreateItem, BOOLEAN AllocateEntry,
                                    PFNKSITEMFREECALLBACK ItemFreeCallback);
NTSTATUS KsFreeObjectCreateItem(KSDEVICE_HEADER Header, PUNICODE_STRING CreateItem);
NTSTATUS KsFreeObjectCreateItemsByContext(KSDEVICE_HEADER Header, PVOID Context);
PKSOBJECT_CREATE_ITEM KsQueryObjectCreateItem(KSOBJECT_HEADER Header);
ACCESS_MASK KsQueryObjectAccessMask(KSOBJECT_HEADER Header);
VOID KsSetTargetState(KSOBJECT_HEADER Header, KSTARGET_STATE TargetState);
VOID KsSetTargetDeviceObject(KSOBJECT_HEADER Header, PDEVICE_OBJECT TargetDevice);
VOID KsSetPowerDispatch(KSOBJECT_HEADER Header, PFNKSCONTEXT_DISPATCH PowerDispatch, PVOID PowerContext);
VOID KsSetDevicePnpAndBaseObject(KSDEVICE_HEADER Header, PDEVICE_OBJECT PnpDeviceObject, PDEVICE_OBJECT BaseDevice);
PDEVICE_OBJECT KsQueryDevicePnpObject(KSDEVICE_HEADER Header);
VOID KsRecalculateStackDepth(KSDEVICE_HEADER Header, BOOLEAN ReuseStackLocation);
VOID KsAcquireDeviceSecurityLock(KSDEVICE_HEADER Header, BOOLEAN Exclusive);
VOID KsReleaseDeviceSecurityLock(KSDEVICE_HEADER Header);
NTSTATUS KsReferenceBusObject(KSDEVICE_HEADER Header);
VOID KsDereferenceBusObject(KSDEVICE_HEADER Header);
NTSTATUS KsCreateDefaultSecurity(PSECURITY_DESCRIPTOR ParentSecurity, PSECURITY_DESCRIPTOR* DefaultSecurity);

NTSTATUS KsAllocateObjectBag(PKSDEVICE Device, KSOBJECT_BAG* ObjectBag);
void KsFreeObjectBag(KSOBJECT_BAG ObjectBag);
NTSTATUS KsAddItemToObjectBag(KSOBJECT_BAG ObjectBag, PVOID Item, PFNKSFREE Free);
ULONG KsRemoveItemFromObjectBag(KSOBJECT_BAG ObjectBag, PVOID Item, BOOLEAN Free);
NTSTATUS KsCopyObjectBagItems(KSOBJECT_BAG ObjectBagDestination, KSOBJECT_BAG ObjectBagSource);
NTSTATUS _KsEdit(KSOBJECT_BAG ObjectBag, PVOID* PointerToPointerToItem, ULONG NewSize, ULONG OldSize, ULONG Tag);

PKSDEVICE KsGetDevice(PVOID Object);
PVOID KsGetParent(PVOID Object);
PVOID KsGetFirstChild(PVOID Object);
PVOID KsGetNextSibling(PVOID Object);
PVOID KsGetObjectFromFileObject(PFILE_OBJECT FileObject);
KSOBJECTTYPE KsGetObjectTypeFromFileObject(PFILE_OBJECT FileObject);
KSOBJECTTYPE KsGetObjectTypeFromIrp(PIRP Irp);
void KsAcquireControl(PVOID Object);
void KsReleaseControl(PVOID Object);
PUNKNOWN KsGetOuterUnknown(PVOID Object);
PUNKNOWN KsRegisterAggregatedClientUnknown(PVOID Object, PUNKNOWN ClientUnknown);
EXTERN_C_END

// The item that a structure points to becomes memory of the object's bag, which may then be written.
#define KsEditSized(Object, PointerToPointer, NewSize, OldSize, Tag) \
  _KsEdit((Object)->Bag, (PVOID*)(PointerToPointer), (NewSize), (OldSize), (Tag))
#define KsEdit(Object, PointerToPointer, Tag) \
  KsEditSized(Object, PointerToPointer, sizeof(**(PointerToPointer)), sizeof(**(PointerToPointer)), Tag)
#define KsDiscard(Object, Pointer) KsRemoveItemFromObjectBag((Object)->Bag, (PVOID)(Pointer), TRUE)

// Kernel objects made by class identifier. Their pages call these functions internal to the streaming class driver.
#pragma once
#pragma GCC system_header

#include "../km/wdm.h"
#include "../shared/guiddef.h"

#ifdef __cplusplus
struct IUnknown;
extern "C" {
#else
typedef struct IUnknown IUnknown;
#endif

// The only context there is. Which reserved bit of CLSCTX it takes is ours: the pages give no value.
#define CLSCTX_KERNEL_SERVER 0x00000200

// The pages name this type and leave its form open; the parameters are those of KoCreateInstance less the context.
typedef NTSTATUS (*KoCreateObjectHandler)(REFCLSID ClassId, IUnknown* UnkOuter, REFIID InterfaceId, PVOID* Interface);

NTSTATUS KoCreateInstance(REFCLSID ClassId, IUnknown* UnkOuter, ULONG ClsContext, REFIID InterfaceId, PVOID* Interface);
NTSTATUS KoDeviceInitialize(PDEVICE_OBJECT DeviceObject);
NTSTATUS KoDriverInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPathName,
                            KoCreateObjectHandler CreateObjectHandler);
void KoRelease(REFCLSID ClassId);

#ifdef __cplusplus
}
#endif

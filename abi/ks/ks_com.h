// The COM-style interfaces of kernel streaming: abstract classes in C++, structures with a table in C.
#pragma once
#pragma GCC system_header

#include "ks_clock.h"
#include "ks_guid.h"

typedef struct _DEVICE_DESCRIPTION DEVICE_DESCRIPTION, *PDEVICE_DESCRIPTION;
typedef struct _ADAPTER_OBJECT ADAPTER_OBJECT, *PADAPTER_OBJECT;

#define STATIC_IID_IKsControl 0x28f54685, 0x06fd, 0x11d2, 0xb2, 0x7a, 0x00, 0xa0, 0xc9, 0x22, 0x31, 0x96
DEFINE_GUIDSTRUCT("28F54685-06FD-11D2-B27A-00A0C9223196", IID_IKsControl);
#define IID_IKsControl DEFINE_GUIDNAMED(IID_IKsControl)
// No page gives the next two values, so they are ours: driver and class driver both compile against this header.
#define STATIC_IID_IKsReferenceClock 0x41f611e1, 0xe7f4, 0x41f6, 0x8a, 0x1b, 0xa0, 0x39, 0x6f, 0x6e, 0x04, 0xad
DEFINE_GUIDSTRUCT("41F611E1-E7F4-41F6-8A1B-A0396F6E04AD", IID_IKsReferenceClock);
#define IID_IKsReferenceClock DEFINE_GUIDNAMED(IID_IKsReferenceClock)
#define STATIC_IID_IKsDeviceFunctions 0x51a308ae, 0x4c04, 0x42b7, 0x85, 0x89, 0x9d, 0x05, 0x88, 0x40, 0x2a, 0x62
DEFINE_GUIDSTRUCT("51A308AE-4C04-42B7-8589-9D0588402A62", IID_IKsDeviceFunctions);
#define IID_IKsDeviceFunctions DEFINE_GUIDNAMED(IID_IKsDeviceFunctions)

#ifdef __cplusplus

// Driver builds know __uuidof.
#ifdef DRYDOCK_DRIVER
#define DRYDOCK_UUID(x) __declspec(uuid(x))
#else
#define DRYDOCK_UUID(x)
#endif

extern "C++" {
struct DRYDOCK_UUID("00000000-0000-0000-C000-000000000046") IUnknown {
  virtual NTSTATUS QueryInterface(REFIID InterfaceId, PVOID* Interface) = 0;
  virtual ULONG AddRef() = 0;
  virtual ULONG Release() = 0;
};

struct DRYDOCK_UUID("28F54685-06FD-11D2-B27A-00A0C9223196") IKsControl : public IUnknown {
  virtual NTSTATUS KsProperty(PKSPROPERTY Property, ULONG PropertyLength, PVOID PropertyData, ULONG DataLength,
                              ULONG* BytesReturned) = 0;
  virtual NTSTATUS KsMethod(PKSMETHOD Method, ULONG MethodLength, PVOID MethodData, ULONG DataLength,
                            ULONG* BytesReturned) = 0;
  virtual NTSTATUS KsEvent(PKSEVENT Event, ULONG EventLength, PVOID EventData, ULONG DataLength,
                           ULONG* BytesReturned) = 0;
};

struct DRYDOCK_UUID("41F611E1-E7F4-41F6-8A1B-A0396F6E04AD") IKsReferenceClock : public IUnknown {
  virtual LONGLONG GetTime() = 0;
  virtual LONGLONG GetPhysicalTime() = 0;
  virtual LONGLONG GetCorrelatedTime(PLONGLONG SystemTime) = 0;
  virtual LONGLONG GetCorrelatedPhysicalTime(PLONGLONG SystemTime) = 0;
  virtual NTSTATUS GetResolution(PKSRESOLUTION Resolution) = 0;
  virtual NTSTATUS GetState(PKSSTATE State) = 0;
};

struct DRYDOCK_UUID("51A308AE-4C04-42B7-8589-9D0588402A62") IKsDeviceFunctions : public IUnknown {
  virtual NTSTATUS RegisterAdapterObjectEx(PADAPTER_OBJECT AdapterObject, PDEVICE_DESCRIPTION DeviceDescription,
                                           ULONG NumberOfMapRegisters, ULONG MaxMappingsByteCount,
                                           ULONG MappingTableStride) = 0;
};
}

#else

typedef struct IUnknown IUnknown;
typedef struct IKsControl IKsControl;
typedef struct IKsReferenceClock IKsReferenceClock;
typedef struct IKsDeviceFunctions IKsDeviceFunctions;

#define DRYDOCK_IUNKNOWN_SLOTS(type)                                              \
  NTSTATUS (*QueryInterface)(type * This, REFIID InterfaceId, PVOID * Interface); \
  ULONG (*AddRef)(type * This);                                                   \
  ULONG (*Release)(type * This)

typedef struct IUnknownVtbl {
  DRYDOCK_IUNKNOWN_SLOTS(IUnknown);
} IUnknownVtbl;

typedef struct IKsControlVtbl {
  DRYDOCK_IUNKNOWN_SLOTS(IKsControl);
  NTSTATUS(*KsProperty)
  (IKsControl* This, PKSPROPERTY Property, ULONG PropertyLength, PVOID PropertyData, ULONG DataLength,
   ULONG* BytesReturned);
  NTSTATUS(*KsMethod)
  (IKsControl* This, PKSMETHOD Method, ULONG MethodLength, PVOID MethodData, ULONG DataLength, ULONG* BytesReturned);
  NTSTATUS(*KsEvent)
  (IKsControl* This, PKSEVENT Event, ULONG EventLength, PVOID EventData, ULONG DataLength, ULONG* BytesReturned);
} IKsControlVtbl;

typedef struct IKsReferenceClockVtbl {
  DRYDOCK_IUNKNOWN_SLOTS(IKsReferenceClock);
  LONGLONG (*GetTime)(IKsReferenceClock* This);
  LONGLONG (*GetPhysicalTime)(IKsReferenceClock* This);
  LONGLONG (*GetCorrelatedTime)(IKsReferenceClock* This, PLONGLONG SystemTime);
  LONGLONG (*GetCorrelatedPhysicalTime)(IKsReferenceClock* This, PLONGLONG SystemTime);
  NTSTATUS (*GetResolution)(IKsReferenceClock* This, PKSRESOLUTION Resolution);
  NTSTATUS (*GetState)(IKsReferenceClock* This, PKSSTATE State);
} IKsReferenceClockVtbl;

typedef struct IKsDeviceFunctionsVtbl {
  DRYDOCK_IUNKNOWN_SLOTS(IKsDeviceFunctions);
  NTSTATUS(*RegisterAdapterObjectEx)
  (IKsDeviceFunctions* This, PADAPTER_OBJECT AdapterObject, PDEVICE_DESCRIPTION DeviceDescription,
   ULONG NumberOfMapRegisters, ULONG MaxMappingsByteCount, ULONG MappingTableStride);
} IKsDeviceFunctionsVtbl;

struct IUnknown {
  const IUnknownVtbl* lpVtbl;
};
struct IKsControl {
  const IKsControlVtbl* lpVtbl;
};
struct IKsReferenceClock {
  const IKsReferenceClockVtbl* lpVtbl;
};
struct IKsDeviceFunctions {
  const IKsDeviceFunctionsVtbl* lpVtbl;
};

#endif

typedef IUnknown* PUNKNOWN;
typedef IKsControl* PIKSCONTROL;
typedef IKsReferenceClock* PIKSREFERENCECLOCK;
typedef IKsDeviceFunctions* PIKSDEVICEFUNCTIONS;

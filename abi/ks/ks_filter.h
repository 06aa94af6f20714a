// Filters and the factories that make them: descriptors, dispatch tables, and what a driver calls on them.
#pragma once
#pragma GCC system_header

#include "ks_automation.h"
#include "ks_com.h"
#include "ks_object.h"
#include "ks_pin.h"
#include "ks_topology.h"

EXTERN_C_START
typedef NTSTATUS (*PFNKSFILTERIRP)(PKSFILTER Filter, PIRP Irp);
typedef NTSTATUS (*PFNKSFILTERPROCESS)(PKSFILTER Filter, PKSPROCESSPIN_INDEXENTRY ProcessPinsIndex);
typedef void (*PFNKSFILTERVOID)(PKSFILTER Filter);
typedef void (*PFNKSFILTERPOWER)(PKSFILTER Filter, DEVICE_POWER_STATE State);
typedef void (*PFNKSFILTERFACTORYPOWER)(PKSFILTERFACTORY FilterFactory, DEVICE_POWER_STATE State);
EXTERN_C_END

typedef struct _KSFILTER_DISPATCH {
  PFNKSFILTERIRP Create;
  PFNKSFILTERIRP Close;
  PFNKSFILTERPROCESS Process;
  PFNKSFILTERVOID Reset;
} KSFILTER_DISPATCH, *PKSFILTER_DISPATCH;

typedef struct _KSFILTER_DESCRIPTOR {
  const KSFILTER_DISPATCH* Dispatch;
  const KSAUTOMATION_TABLE* AutomationTable;
  ULONG Version;
  ULONG Flags;
  const GUID* ReferenceGuid;
  ULONG PinDescriptorsCount;
  ULONG PinDescriptorSize;
  const KSPIN_DESCRIPTOR_EX* PinDescriptors;
  ULONG CategoriesCount;
  const GUID* Categories;
  ULONG NodeDescriptorsCount;
  ULONG NodeDescriptorSize;
  const KSNODE_DESCRIPTOR* NodeDescriptors;
  ULONG ConnectionsCount;
  const KSTOPOLOGY_CONNECTION* Connections;
  const KSCOMPONENTID* ComponentId;
} KSFILTER_DESCRIPTOR, *PKSFILTER_DESCRIPTOR;

#define KSFILTER_DESCRIPTOR_VERSION ((ULONG)-1)

#define KSFILTER_FLAG_DISPATCH_LEVEL_PROCESSING 0x00000001
#define KSFILTER_FLAG_CRITICAL_PROCESSING 0x00000002
#define KSFILTER_FLAG_HYPERCRITICAL_PROCESSING 0x00000004
#define KSFILTER_FLAG_RECEIVE_ZERO_LENGTH_SAMPLES 0x00000008
#define KSFILTER_FLAG_PRIORITIZE_REFERENCEGUID 0x00000010
#define KSFILTER_FLAG_DENY_USERMODE_ACCESS 0x80000000

#define DEFINE_KSFILTER_DESCRIPTOR(descriptor) const KSFILTER_DESCRIPTOR descriptor =
#define DEFINE_KSFILTER_DESCRIPTOR_TABLE(table) const KSFILTER_DESCRIPTOR* const table[] =
// Each of these fills the members of one kind: the count, the size of an item where there is one, and the table.
#define DEFINE_KSFILTER_PIN_DESCRIPTORS(table) SIZEOF_ARRAY(table), sizeof((table)[0]), table
#define DEFINE_KSFILTER_CATEGORIES(table) SIZEOF_ARRAY(table), table
#define DEFINE_KSFILTER_CATEGORY(category) 1, &(category)
#define DEFINE_KSFILTER_CATEGORIES_NULL 0, NULL
#define DEFINE_KSFILTER_NODE_DESCRIPTORS(table) SIZEOF_ARRAY(table), sizeof((table)[0]), table
#define DEFINE_KSFILTER_NODE_DESCRIPTORS_NULL 0, sizeof(KSNODE_DESCRIPTOR), NULL
#define DEFINE_KSFILTER_CONNECTIONS(table) SIZEOF_ARRAY(table), table
#define DEFINE_KSFILTER_DEFAULT_CONNECTIONS 0, NULL

struct _KSFILTERFACTORY {
  const KSFILTER_DESCRIPTOR* FilterDescriptor;
  KSOBJECT_BAG Bag;
  PVOID Context;
};

struct _KSFILTER {
  const KSFILTER_DESCRIPTOR* Descriptor;
  KSOBJECT_BAG Bag;
  PVOID Context;
};

// A camera's profile, see ksmedia.h.
typedef struct _KSDEVICE_PROFILE_INFO KSDEVICE_PROFILE_INFO, *PKSDEVICE_PROFILE_INFO;

EXTERN_C_START
NTSTATUS KsCreateFilterFactory(PDEVICE_OBJECT DeviceObject, const KSFILTER_DESCRIPTOR* Descriptor, PWSTR RefString,
                               PSECURITY_DESCRIPTOR SecurityDescriptor, ULONG CreateItemFlags,
                               PFNKSFILTERFACTORYPOWER SleepCallback, PFNKSFILTERFACTORYPOWER WakeCallback,
                               PKSFILTERFACTORY* FilterFactory);
NTSTATUS KsDeleteFilterFactory(PKSFILTERFACTORY FilterFactory);
NTSTATUS KsFilterFactoryAddCreateItem(PKSFILTERFACTORY FilterFactory, PWSTR RefString,
                                      PSECURITY_DESCRIPTOR SecurityDescriptor, ULONG CreateItemFlags);
PUNICODE_STRING KsFilterFactoryGetSymbolicLink(PKSFILTERFACTORY FilterFactory);
NTSTATUS KsFilterFactorySetDeviceClassesState(PKSFILTERFACTORY FilterFactory, BOOLEAN NewState);
NTSTATUS KsFilterFactoryUpdateCacheData(PKSFILTERFACTORY FilterFactory, const KSFILTER_DESCRIPTOR* FilterDescriptor);
NTSTATUS KsInitializeDeviceProfile(PKSFILTERFACTORY FilterFactory);
NTSTATUS KsPublishDeviceProfile(PKSFILTERFACTORY FilterFactory, PKSDEVICE_PROFILE_INFO Profile);
NTSTATUS KsPersistDeviceProfile(PKSFILTERFACTORY FilterFactory);

PKSFILTER KsGetFilterFromIrp(PIRP Irp);
void KsFilterAcquireProcessingMutex(PKSFILTER Filter);
void KsFilterReleaseProcessingMutex(PKSFILTER Filter);
void KsFilterAttemptProcessing(PKSFILTER Filter, BOOLEAN Asynchronous);
PKSGATE KsFilterGetAndGate(PKSFILTER Filter);
NTSTATUS KsFilterCreateNode(PKSFILTER Filter, const KSNODE_DESCRIPTOR* NodeDescriptor, PULONG NodeID);
NTSTATUS KsFilterCreatePinFactory(PKSFILTER Filter, const KSPIN_DESCRIPTOR_EX* PinDescriptor, PULONG PinID);
NTSTATUS KsFilterAddTopologyConnections(PKSFILTER Filter, ULONG NewConnectionsCount,
                                        const KSTOPOLOGY_CONNECTION* NewTopologyConnections);
ULONG KsFilterGetChildPinCount(PKSFILTER Filter, ULONG PinId);
PKSPIN KsFilterGetFirstChildPin(PKSFILTER Filter, ULONG PinId);
void KsFilterRegisterPowerCallbacks(PKSFILTER Filter, PFNKSFILTERPOWER Sleep, PFNKSFILTERPOWER Wake);
NTSTATUS KsRegisterFilterWithNoKSPins(PDEVICE_OBJECT DeviceObject, const GUID* InterfaceClassGUID, ULONG PinCount,
                                      BOOL* PinDirection, KSPIN_MEDIUM* MediumList, GUID* CategoryList);

FORCEINLINE PKSDEVICE KsFilterFactoryGetDevice(PKSFILTERFACTORY FilterFactory) { return KsGetDevice(FilterFactory); }
FORCEINLINE PKSDEVICE KsFilterFactoryGetParentDevice(PKSFILTERFACTORY FilterFactory) {
  return (PKSDEVICE)KsGetParent(FilterFactory);
}
FORCEINLINE PKSFILTER KsFilterFactoryGetFirstChildFilter(PKSFILTERFACTORY FilterFactory) {
  return (PKSFILTER)KsGetFirstChild(FilterFactory);
}
FORCEINLINE PKSFILTERFACTORY KsFilterFactoryGetNextSiblingFilterFactory(PKSFILTERFACTORY FilterFactory) {
  return (PKSFILTERFACTORY)KsGetNextSibling(FilterFactory);
}
FORCEINLINE PUNKNOWN KsFilterFactoryGetOuterUnknown(PKSFILTERFACTORY FilterFactory) {
  return KsGetOuterUnknown(FilterFactory);
}
FORCEINLINE PUNKNOWN KsFilterFactoryRegisterAggregatedClientUnknown(PKSFILTERFACTORY FilterFactory,
                                                                    PUNKNOWN ClientUnknown) {
  return KsRegisterAggregatedClientUnknown(FilterFactory, ClientUnknown);
}

FORCEINLINE PKSFILTER KsGetFilterFromFileObject(PFILE_OBJECT FileObject) {
  return (PKSFILTER)KsGetObjectFromFileObject(FileObject);
}
FORCEINLINE PKSDEVICE KsFilterGetDevice(PKSFILTER Filter) { return KsGetDevice(Filter); }
FORCEINLINE PKSFILTERFACTORY KsFilterGetParentFilterFactory(PKSFILTER Filter) {
  return (PKSFILTERFACTORY)KsGetParent(Filter);
}
FORCEINLINE PKSFILTER KsFilterGetNextSiblingFilter(PKSFILTER Filter) { return (PKSFILTER)KsGetNextSibling(Filter); }
FORCEINLINE void KsFilterAcquireControl(PKSFILTER Filter) { KsAcquireControl(Filter); }
FORCEINLINE void KsFilterReleaseControl(PKSFILTER Filter) { KsReleaseControl(Filter); }
FORCEINLINE void KsFilterAddEvent(PKSFILTER Filter, PKSEVENT_ENTRY EventEntry) { KsAddEvent(Filter, EventEntry); }
FORCEINLINE void KsFilterGenerateEvents(PKSFILTER Filter, const GUID* EventSet, ULONG EventId, ULONG DataSize,
                                        PVOID Data, PFNKSGENERATEEVENTCALLBACK CallBack, PVOID CallBackContext) {
  KsGenerateEvents(Filter, EventSet, EventId, DataSize, Data, CallBack, CallBackContext);
}
FORCEINLINE PUNKNOWN KsFilterGetOuterUnknown(PKSFILTER Filter) { return KsGetOuterUnknown(Filter); }
FORCEINLINE PUNKNOWN KsFilterRegisterAggregatedClientUnknown(PKSFILTER Filter, PUNKNOWN ClientUnknown) {
  return KsRegisterAggregatedClientUnknown(Filter, ClientUnknown);
}
EXTERN_C_END

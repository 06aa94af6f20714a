// The life of the device: added, started, put to sleep, stopped, removed, or pulled out. AVStream holds the device
// mutex.
#include "device.h"

#include "grabber.h"

#pragma code_seg("PAGE")

namespace kssg {
namespace {

// A piece of a frame that is longer comes as several. The grabber has no limit; a descriptor for 64 KiB is long enough.
constexpr ULONG kMaxMappingBytes = 64 * 1024;

Grabber& grabber_of(PKSDEVICE device) { return *static_cast<Grabber*>(device->Context); }

// The registers are the one range of memory in the list, which is null when the device has no resources at all.
const CM_PARTIAL_RESOURCE_DESCRIPTOR* find_registers(const CM_RESOURCE_LIST* list) {
  if (list == nullptr || list->Count == 0) return nullptr;
  const CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  for (ULONG i = 0; i < partial.Count; ++i) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR& descriptor = partial.PartialDescriptors[i];
    if (descriptor.Type == CmResourceTypeMemory && descriptor.u.Memory.Length >= KSSG_REGISTER_BAR_BYTES) {
      return &descriptor;
    }
  }
  return nullptr;
}

NTSTATUS map_registers(Grabber& grabber, const CM_RESOURCE_LIST* list) {
  const CM_PARTIAL_RESOURCE_DESCRIPTOR* range = find_registers(list);
  if (range == nullptr) return STATUS_DEVICE_CONFIGURATION_ERROR;
  PVOID mapping = MmMapIoSpaceEx(range->u.Memory.Start, KSSG_REGISTER_BAR_BYTES, PAGE_READWRITE | PAGE_NOCACHE);
  if (mapping == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  grabber.registers.attach(mapping);
  return STATUS_SUCCESS;
}

NTSTATUS identify(const Grabber& grabber) {
  if (grabber.registers.read(KSSG_REG_ID) != KSSG_ID) return STATUS_DEVICE_CONFIGURATION_ERROR;
  if (grabber.registers.read(KSSG_REG_VERSION) >> 16 != KSSG_VERSION >> 16) return STATUS_REVISION_MISMATCH;
  return STATUS_SUCCESS;
}

// AVStream maps the clients' frames with it: the pin has KSPIN_FLAG_GENERATE_MAPPINGS, and nothing is processed before
// this ("Supporting DMA in 64-Bit AVStream Drivers").
NTSTATUS register_adapter(PKSDEVICE device, DEVICE_DESCRIPTION& description, ULONG map_registers) {
  // Adapter objects are what DMA adapters were called once.
  auto* adapter = reinterpret_cast<PADAPTER_OBJECT>(grabber_of(device).dma);
  IKsDeviceFunctions* functions;
  NTSTATUS status = KsDeviceGetOuterUnknown(device)->QueryInterface(__uuidof(IKsDeviceFunctions),
                                                                    reinterpret_cast<PVOID*>(&functions));
  if (!NT_SUCCESS(status)) return status;
  status =
      functions->RegisterAdapterObjectEx(adapter, &description, map_registers, kMaxMappingBytes, sizeof(KSMAPPING));
  functions->Release();
  return status;
}

// Long enough for all the frames that the grabber may have, and for the one that is looked at next.
NTSTATUS get_adapter(PKSDEVICE device) {
  DEVICE_DESCRIPTION description = {};
  description.Version = DEVICE_DESCRIPTION_VERSION;
  description.Master = TRUE;
  description.ScatterGather = TRUE;
  description.Dma64BitAddresses = TRUE;
  description.InterfaceType = PCIBus;
  description.MaximumLength = (kMostFrames + 1) * (kMaxPictureBytes + PAGE_SIZE);
  ULONG map_registers;
  Grabber& grabber = grabber_of(device);
  grabber.dma = IoGetDmaAdapter(device->PhysicalDeviceObject, &description, &map_registers);
  if (grabber.dma == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  return register_adapter(device, description, map_registers);
}

NTSTATUS connect_interrupt(Grabber& grabber, PDEVICE_OBJECT physical_device) {
  IO_CONNECT_INTERRUPT_PARAMETERS parameters = {};
  parameters.Version = CONNECT_LINE_BASED;
  parameters.LineBased.PhysicalDeviceObject = physical_device;
  parameters.LineBased.InterruptObject = &grabber.interrupt;
  parameters.LineBased.ServiceRoutine = serve_interrupt;
  parameters.LineBased.ServiceContext = &grabber;
  return IoConnectInterruptEx(&parameters);
}

// What the interrupt queued last has run by the end.
void disconnect_interrupt(Grabber& grabber) {
  IO_DISCONNECT_INTERRUPT_PARAMETERS parameters = {};
  parameters.Version = CONNECT_LINE_BASED;
  parameters.ConnectionContext.InterruptObject = grabber.interrupt;
  IoDisconnectInterruptEx(&parameters);
  grabber.interrupt = nullptr;
  KeFlushQueuedDpcs();
}

// Also undoes a start that came only part of the way, and does nothing twice.
void give_back(Grabber& grabber) {
  stop_hardware(grabber);
  if (grabber.interrupt != nullptr) disconnect_interrupt(grabber);
  if (grabber.dma != nullptr) grabber.dma->DmaOperations->PutDmaAdapter(grabber.dma);
  grabber.dma = nullptr;
  PVOID mapping = grabber.registers.detach();
  if (mapping != nullptr) MmUnmapIoSpace(mapping, KSSG_REGISTER_BAR_BYTES);
}

NTSTATUS add(PKSDEVICE Device) {
  PAGED_CODE();
  Grabber* grabber = allocate<Grabber>();
  if (grabber == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  NTSTATUS status = KsAddItemToObjectBag(Device->Bag, grabber, nullptr);
  if (!NT_SUCCESS(status)) {
    ExFreePoolWithTag(grabber, kTag);
    return status;
  }
  KeInitializeSpinLock(&grabber->lock);
  KeInitializeDpc(&grabber->dpc, serve_deferred, grabber);
  Device->Context = grabber;
  return STATUS_SUCCESS;
}

NTSTATUS start(PKSDEVICE Device, PIRP, PCM_RESOURCE_LIST TranslatedResourceList, PCM_RESOURCE_LIST) {
  PAGED_CODE();
  Grabber& grabber = grabber_of(Device);
  NTSTATUS status = map_registers(grabber, TranslatedResourceList);
  if (NT_SUCCESS(status)) status = identify(grabber);
  if (NT_SUCCESS(status)) status = get_adapter(Device);
  if (NT_SUCCESS(status)) status = connect_interrupt(grabber, Device->PhysicalDeviceObject);
  if (!NT_SUCCESS(status)) {
    give_back(grabber);
    return status;
  }
  start_hardware(grabber);
  return STATUS_SUCCESS;
}

// A stream has memory of the adapter's, and could not go on where it was.
NTSTATUS query_stop(PKSDEVICE Device, PIRP) {
  PAGED_CODE();
  return ReadNoFence(&grabber_of(Device).acquired) != 0 ? STATUS_DEVICE_BUSY : STATUS_SUCCESS;
}

void stop(PKSDEVICE Device, PIRP) {
  PAGED_CODE();
  give_back(grabber_of(Device));
}

// After a surprise removal the device is not asked to stop first.
void remove(PKSDEVICE Device, PIRP) {
  PAGED_CODE();
  give_back(grabber_of(Device));
}

// If it can still hear, it falls silent before memory is taken from it. From here on the registers are not touched, and
// streams are ended by the ordinary calls.
void surprise_removal(PKSDEVICE Device, PIRP) {
  PAGED_CODE();
  Grabber& grabber = grabber_of(Device);
  stop_hardware(grabber);
  grabber.registers.lose();
}

// Below D0 the grabber keeps nothing.
void set_power(PKSDEVICE Device, PIRP, DEVICE_POWER_STATE To, DEVICE_POWER_STATE From) {
  PAGED_CODE();
  Grabber& grabber = grabber_of(Device);
  if (To == From) return;
  if (To == PowerDeviceD0) start_hardware(grabber);
  if (From == PowerDeviceD0) stop_hardware(grabber);
}

}  // namespace

const KSDEVICE_DISPATCH kDeviceDispatch = {
    add,
    start,
    nullptr,  // PostStart
    query_stop,
    nullptr,  // CancelStop: nothing was done yet
    stop,
    nullptr,  // QueryRemove
    nullptr,  // CancelRemove
    remove,
    nullptr,  // QueryCapabilities
    surprise_removal,
    nullptr,  // QueryPower
    set_power,
    nullptr,  // QueryInterface
};

}  // namespace kssg

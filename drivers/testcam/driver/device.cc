// The life of the device: added, started, put to sleep, stopped, removed, or pulled out. AVStream holds the device
// mutex.
#include "device.h"

#include "camera.h"
#include "ring.h"

#pragma code_seg("PAGE")

namespace testcam {
namespace {

Camera& camera_of(PKSDEVICE device) { return *static_cast<Camera*>(device->Context); }

// The registers are the one range of memory in the list, which is null when the device has no resources at all.
const CM_PARTIAL_RESOURCE_DESCRIPTOR* find_registers(const CM_RESOURCE_LIST* list) {
  if (list == nullptr || list->Count == 0) return nullptr;
  const CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  for (ULONG i = 0; i < partial.Count; ++i) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR& descriptor = partial.PartialDescriptors[i];
    if (descriptor.Type == CmResourceTypeMemory && descriptor.u.Memory.Length >= TESTCAM_REGISTER_BAR_BYTES) {
      return &descriptor;
    }
  }
  return nullptr;
}

NTSTATUS map_registers(Camera& camera, const CM_RESOURCE_LIST* list) {
  const CM_PARTIAL_RESOURCE_DESCRIPTOR* range = find_registers(list);
  if (range == nullptr) return STATUS_DEVICE_CONFIGURATION_ERROR;
  PVOID mapping = MmMapIoSpaceEx(range->u.Memory.Start, TESTCAM_REGISTER_BAR_BYTES, PAGE_READWRITE | PAGE_NOCACHE);
  if (mapping == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  camera.registers.attach(mapping);
  return STATUS_SUCCESS;
}

NTSTATUS identify(const Camera& camera) {
  if (camera.registers.read(TESTCAM_REG_ID) != TESTCAM_ID) return STATUS_DEVICE_CONFIGURATION_ERROR;
  if (camera.registers.read(TESTCAM_REG_VERSION) >> 16 != TESTCAM_VERSION >> 16) return STATUS_REVISION_MISMATCH;
  return STATUS_SUCCESS;
}

// For common buffers only. AVStream is not told of the adapter: it would map clients' frames for a device that does not
// write there.
NTSTATUS get_adapter(Camera& camera, PDEVICE_OBJECT physical_device) {
  DEVICE_DESCRIPTION description = {};
  description.Version = DEVICE_DESCRIPTION_VERSION;
  description.Master = TRUE;
  description.ScatterGather = TRUE;
  description.Dma64BitAddresses = TRUE;
  description.InterfaceType = PCIBus;
  description.MaximumLength = sizeof(TESTCAM_SLOT) + TESTCAM_MAX_FRAME_BYTES;
  ULONG map_registers;
  camera.dma = IoGetDmaAdapter(physical_device, &description, &map_registers);
  return camera.dma != nullptr ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS connect_interrupt(Camera& camera, PDEVICE_OBJECT physical_device) {
  IO_CONNECT_INTERRUPT_PARAMETERS parameters = {};
  parameters.Version = CONNECT_LINE_BASED;
  parameters.LineBased.PhysicalDeviceObject = physical_device;
  parameters.LineBased.InterruptObject = &camera.interrupt;
  parameters.LineBased.ServiceRoutine = serve_interrupt;
  parameters.LineBased.ServiceContext = &camera;
  return IoConnectInterruptEx(&parameters);
}

void disconnect_interrupt(Camera& camera) {
  IO_DISCONNECT_INTERRUPT_PARAMETERS parameters = {};
  parameters.Version = CONNECT_LINE_BASED;
  parameters.ConnectionContext.InterruptObject = camera.interrupt;
  IoDisconnectInterruptEx(&parameters);
  camera.interrupt = nullptr;
}

// Also undoes a start that came only part of the way, and does nothing twice.
void give_back(Camera& camera) {
  stop_hardware(camera);
  if (camera.interrupt != nullptr) disconnect_interrupt(camera);
  if (camera.dma != nullptr) camera.dma->DmaOperations->PutDmaAdapter(camera.dma);
  camera.dma = nullptr;
  PVOID mapping = camera.registers.detach();
  if (mapping != nullptr) MmUnmapIoSpace(mapping, TESTCAM_REGISTER_BAR_BYTES);
}

NTSTATUS add(PKSDEVICE Device) {
  PAGED_CODE();
  Camera* camera = allocate<Camera>();
  if (camera == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  NTSTATUS status = KsAddItemToObjectBag(Device->Bag, camera, nullptr);
  if (!NT_SUCCESS(status)) {
    ExFreePoolWithTag(camera, kTag);
    return status;
  }
  ExInitializeFastMutex(&camera->mutex);
  KeInitializeDpc(&camera->dpc, serve_deferred, camera);
  camera->brightness = TESTCAM_DEFAULT_BRIGHTNESS;
  camera->zoom = TESTCAM_DEFAULT_ZOOM;
  Device->Context = camera;
  return STATUS_SUCCESS;
}

NTSTATUS start(PKSDEVICE Device, PIRP, PCM_RESOURCE_LIST TranslatedResourceList, PCM_RESOURCE_LIST) {
  PAGED_CODE();
  Camera& camera = camera_of(Device);
  NTSTATUS status = map_registers(camera, TranslatedResourceList);
  if (NT_SUCCESS(status)) status = identify(camera);
  if (NT_SUCCESS(status)) status = get_adapter(camera, Device->PhysicalDeviceObject);
  if (NT_SUCCESS(status)) status = connect_interrupt(camera, Device->PhysicalDeviceObject);
  if (!NT_SUCCESS(status)) {
    give_back(camera);
    return status;
  }
  start_hardware(camera);
  return STATUS_SUCCESS;
}

// Streams have memory of the adapter's, and could not go on where they were.
NTSTATUS query_stop(PKSDEVICE Device, PIRP) {
  PAGED_CODE();
  for (const Channel& channel : camera_of(Device).channels) {
    if (ReadPointerAcquire(&channel.stream) != nullptr) return STATUS_DEVICE_BUSY;
  }
  return STATUS_SUCCESS;
}

void stop(PKSDEVICE Device, PIRP) {
  PAGED_CODE();
  give_back(camera_of(Device));
}

// After a surprise removal the device is not asked to stop first.
void remove(PKSDEVICE Device, PIRP) {
  PAGED_CODE();
  give_back(camera_of(Device));
}

// If it can still hear, it falls silent before memory is taken from it. From here on the registers are not touched, and
// streams are ended by the ordinary calls.
void surprise_removal(PKSDEVICE Device, PIRP) {
  PAGED_CODE();
  Camera& camera = camera_of(Device);
  stop_hardware(camera);
  camera.registers.lose();
}

// Below D0 the camera keeps nothing.
void set_power(PKSDEVICE Device, PIRP, DEVICE_POWER_STATE To, DEVICE_POWER_STATE From) {
  PAGED_CODE();
  Camera& camera = camera_of(Device);
  if (To == From) return;
  if (To == PowerDeviceD0) start_hardware(camera);
  if (From == PowerDeviceD0) stop_hardware(camera);
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

}  // namespace testcam

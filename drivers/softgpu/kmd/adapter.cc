// The life of an adapter: added, started, stopped, removed, or pulled out.
#include "adapter.h"

#include "driver.h"
#include "settings.h"

#pragma code_seg("PAGE")

namespace softgpu {
namespace {

constexpr ULONG kNeeded = SOFTGPU_FEATURE_APERTURE | SOFTGPU_FEATURE_PREEMPTION | (kGpuMmu ? SOFTGPU_FEATURE_MMU : 0) |
                          (kComputeOnly ? SOFTGPU_FEATURE_COMPUTE : 0);

struct Resources {
  PHYSICAL_ADDRESS registers;
  PHYSICAL_ADDRESS local;
  ULONG local_bytes;
};

// The bus lists the ranges in the order of the bars: registers, then local memory.
NTSTATUS find_resources(const CM_RESOURCE_LIST* list, Resources& resources) {
  if (list == nullptr || list->Count == 0) return STATUS_DEVICE_CONFIGURATION_ERROR;
  const CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  ULONG found = 0;
  for (ULONG i = 0; i < partial.Count; ++i) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR& descriptor = partial.PartialDescriptors[i];
    if (descriptor.Type != CmResourceTypeMemory) continue;
    if (found == 0) {
      if (descriptor.u.Memory.Length < SOFTGPU_REGISTER_BAR_BYTES) return STATUS_DEVICE_CONFIGURATION_ERROR;
      resources.registers = descriptor.u.Memory.Start;
    } else if (found == 1) {
      resources.local = descriptor.u.Memory.Start;
      resources.local_bytes = descriptor.u.Memory.Length;
    }
    ++found;
  }
  return found >= 2 ? STATUS_SUCCESS : STATUS_DEVICE_CONFIGURATION_ERROR;
}

NTSTATUS map_registers(Adapter& adapter, PHYSICAL_ADDRESS where) {
  PVOID mapping;
  NTSTATUS status = adapter.dxgk.DxgkCbMapMemory(adapter.dxgk.DeviceHandle, where, SOFTGPU_REGISTER_BAR_BYTES, FALSE,
                                                 FALSE, MmNonCached, &mapping);
  if (NT_SUCCESS(status)) adapter.registers.attach(mapping);
  return status;
}

NTSTATUS identify(Adapter& adapter, const Resources& resources) {
  const Registers& registers = adapter.registers;
  if (registers.read(SOFTGPU_REG_ID) != SOFTGPU_ID) return STATUS_DEVICE_CONFIGURATION_ERROR;
  if (registers.read(SOFTGPU_REG_VERSION) >> 16 != SOFTGPU_VERSION >> 16) return STATUS_REVISION_MISMATCH;
  adapter.features = registers.read(SOFTGPU_REG_FEATURES);
  if ((adapter.features & kNeeded) != kNeeded) return STATUS_NOT_SUPPORTED;
  adapter.local_base = resources.local;
  adapter.local_bytes = registers.read64(SOFTGPU_REG_LOCAL_BYTES);
  return adapter.local_bytes <= resources.local_bytes ? STATUS_SUCCESS : STATUS_DEVICE_CONFIGURATION_ERROR;
}

NTSTATUS allocate_aperture(Adapter& adapter) {
  SIZE_T bytes = static_cast<SIZE_T>(adapter.aperture_bytes / SOFTGPU_PAGE_BYTES) * sizeof(UINT64);
  PHYSICAL_ADDRESS highest;
  highest.QuadPart = SOFTGPU_ADDRESS_OFFSET_MASK;
  adapter.aperture = static_cast<UINT64*>(MmAllocateContiguousMemory(bytes, highest));
  if (adapter.aperture == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  RtlZeroMemory(adapter.aperture, bytes);
  adapter.aperture_physical = MmGetPhysicalAddress(adapter.aperture);
  return STATUS_SUCCESS;
}

NTSTATUS allocate_engines(Adapter& adapter, ULONG submissions) {
  for (ULONG i = 0; i < SOFTGPU_ENGINES; ++i) {
    NTSTATUS status = adapter.engines[i].initialize(adapter.registers, i, submissions);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS prepare(Adapter& adapter, ULONG submissions) {
  DXGK_DEVICE_INFO information = {};
  NTSTATUS status = adapter.dxgk.DxgkCbGetDeviceInformation(adapter.dxgk.DeviceHandle, &information);
  if (!NT_SUCCESS(status)) return status;
  Resources resources = {};
  status = find_resources(information.TranslatedResourceList, resources);
  if (NT_SUCCESS(status)) status = map_registers(adapter, resources.registers);
  if (NT_SUCCESS(status)) status = identify(adapter, resources);
  if (!NT_SUCCESS(status)) return status;
  const Settings settings = read_settings(information.DeviceRegistryPath);
  adapter.local_bytes = smaller_if_set(adapter.local_bytes, settings.local_bytes);
  adapter.aperture_bytes = smaller_if_set(kMaxApertureBytes, settings.aperture_bytes);
  status = allocate_aperture(adapter);
  if (NT_SUCCESS(status)) status = allocate_engines(adapter, submissions);
  return status;
}

// Also undoes a prepare() that came only part of the way.
void unprepare(Adapter& adapter) {
  for (Engine& engine : adapter.engines) engine.destroy();
  if (adapter.aperture != nullptr) MmFreeContiguousMemory(adapter.aperture);
  adapter.aperture = nullptr;
  PVOID mapping = adapter.registers.detach();
  if (mapping != nullptr) adapter.dxgk.DxgkCbUnmapMemory(adapter.dxgk.DeviceHandle, mapping);
}

}  // namespace

NTSTATUS add_device(const PDEVICE_OBJECT, PVOID* MiniportDeviceContext) {
  PAGED_CODE();
  Adapter* adapter = allocate<Adapter>(POOL_FLAG_NON_PAGED);
  if (adapter == nullptr) return STATUS_NO_MEMORY;
  *MiniportDeviceContext = adapter;
  return STATUS_SUCCESS;
}

NTSTATUS start_device(const PVOID MiniportDeviceContext, PDXGK_START_INFO DxgkStartInfo,
                      PDXGKRNL_INTERFACE DxgkInterface, PULONG NumberOfVideoPresentSources, PULONG NumberOfChildren) {
  PAGED_CODE();
  Adapter& adapter = adapter_of(MiniportDeviceContext);
  // An older or newer system has a shorter or longer interface.
  RtlZeroMemory(&adapter.dxgk, sizeof(adapter.dxgk));
  RtlCopyMemory(&adapter.dxgk, DxgkInterface, lesser<SIZE_T>(DxgkInterface->Size, sizeof(adapter.dxgk)));
  adapter.registers.find();
  adapter.interrupt_count = adapter.dpc_count = 0;

  NTSTATUS status = prepare(adapter, DxgkStartInfo->RequiredDmaQueueEntry);
  if (!NT_SUCCESS(status)) {
    unprepare(adapter);
    return status;
  }
  reset_hardware(adapter);
  start_hardware(adapter);
  *NumberOfVideoPresentSources = 0;
  *NumberOfChildren = 0;
  return STATUS_SUCCESS;
}

NTSTATUS stop_device(const PVOID MiniportDeviceContext) {
  PAGED_CODE();
  Adapter& adapter = adapter_of(MiniportDeviceContext);
  reset_hardware(adapter);
  unprepare(adapter);
  return STATUS_SUCCESS;
}

NTSTATUS remove_device(const PVOID MiniportDeviceContext) {
  PAGED_CODE();
  release(&adapter_of(MiniportDeviceContext));
  return STATUS_SUCCESS;
}

// Other DDIs may be running. They find the registers gone; what they hold in memory is freed by the ordinary calls.
NTSTATUS notify_surprise_removal(PVOID MiniportDeviceContext, DXGK_SURPRISE_REMOVAL_TYPE) {
  PAGED_CODE();
  adapter_of(MiniportDeviceContext).registers.lose();
  return STATUS_SUCCESS;
}

NTSTATUS query_interface(const PVOID, PQUERY_INTERFACE) {
  PAGED_CODE();
  return STATUS_NOT_SUPPORTED;
}

// --- Children: there are none ---

NTSTATUS query_child_relations(const PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) {
  PAGED_CODE();
  return STATUS_SUCCESS;
}

NTSTATUS query_child_status(const PVOID, PDXGK_CHILD_STATUS, BOOLEAN) {
  PAGED_CODE();
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS query_device_descriptor(const PVOID, ULONG, PDXGK_DEVICE_DESCRIPTOR) {
  PAGED_CODE();
  return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
}

}  // namespace softgpu

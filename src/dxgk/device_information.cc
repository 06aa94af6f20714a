#include "dxgk/device_information.h"

#include "dxgk/adapter.h"
#include "dxgk/adapter_hardware.h"
#include "nt/machine.h"
#include "nt/physical_windows.h"

namespace dxgk {
namespace {

void* allocate(nt::Machine& machine, size_t bytes) {
  void* memory = machine.pool().allocate(bytes, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(memory);
  return memory;
}

UNICODE_STRING make_string(nt::Machine& machine, const std::string& ascii) {
  UNICODE_STRING string;
  string.Length = static_cast<USHORT>(ascii.size() * sizeof(WCHAR));
  string.MaximumLength = static_cast<USHORT>(string.Length + sizeof(WCHAR));
  string.Buffer = static_cast<WCHAR*>(allocate(machine, string.MaximumLength));
  for (size_t i = 0; i < ascii.size(); ++i) string.Buffer[i] = static_cast<unsigned char>(ascii[i]);
  return string;
}

CM_PARTIAL_RESOURCE_DESCRIPTOR memory_descriptor(const nt::Device::Range& range) {
  CHECK_MSG(range.bytes <= UINT32_MAX, "a larger range needs CmResourceTypeMemoryLarge");
  CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
  descriptor.Type = CmResourceTypeMemory;
  descriptor.Flags = CM_RESOURCE_MEMORY_READ_WRITE;
  descriptor.u.Memory.Start.QuadPart = static_cast<LONGLONG>(range.physical);
  descriptor.u.Memory.Length = static_cast<ULONG>(range.bytes);
  return descriptor;
}

CM_PARTIAL_RESOURCE_DESCRIPTOR interrupt_descriptor(nt::Machine& machine, nt::InterruptLine line) {
  CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
  descriptor.Type = CmResourceTypeInterrupt;
  descriptor.Flags = CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE;
  descriptor.u.Interrupt.Level = line.irql;
  descriptor.u.Interrupt.Vector = line.vector;
  descriptor.u.Interrupt.Affinity = (KAFFINITY{1} << machine.executor().processor_count()) - 1;
  return descriptor;
}

CM_RESOURCE_LIST* make_list(nt::Machine& machine, const Adapter::Hardware& hardware) {
  std::vector<CM_PARTIAL_RESOURCE_DESCRIPTOR> descriptors;
  for (const nt::Device::Range& range : hardware.memory) descriptors.push_back(memory_descriptor(range));
  if (hardware.line) descriptors.push_back(interrupt_descriptor(machine, *hardware.line));
  // The structure holds one descriptor already.
  size_t more = descriptors.empty() ? 0 : descriptors.size() - 1;
  auto* list = static_cast<CM_RESOURCE_LIST*>(
      allocate(machine, sizeof(CM_RESOURCE_LIST) + more * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR)));
  list->Count = 1;
  list->List[0].InterfaceType = PCIBus;
  CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  partial.Version = partial.Revision = 1;
  partial.Count = static_cast<ULONG>(descriptors.size());
  std::copy(descriptors.begin(), descriptors.end(), partial.PartialDescriptors);
  return list;
}

}  // namespace

DeviceInformation::DeviceInformation(Adapter& adapter, PDEVICE_OBJECT physical_device)
    : adapter_(adapter),
      physical_device_(physical_device),
      registry_path_(make_string(adapter.machine(), adapter.hardware().registry_path)),
      resources_(make_list(adapter.machine(), adapter.hardware())) {}

void DeviceInformation::fill(DXGK_DEVICE_INFO& info) const {
  info = {};
  info.MiniportDeviceContext = adapter_.context();
  info.PhysicalDeviceObject = physical_device_;
  info.DeviceRegistryPath = registry_path_;
  info.TranslatedResourceList = resources_;
  info.SystemMemorySize.QuadPart = static_cast<LONGLONG>(nt::kOtherPagesEnd);
  info.HighestPhysicalAddress.QuadPart = static_cast<LONGLONG>(nt::kOtherPagesEnd - 1);
  info.DockingState = DockStateUnsupported;
}

}  // namespace dxgk

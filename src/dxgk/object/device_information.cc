#include "dxgk/object/device_information.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/adapter_hardware.h"
#include "nt/hardware/resource_list.h"
#include "nt/machine/machine.h"
#include "nt/mm/physical_windows.h"
#include "nt/mm/pool.h"

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

}  // namespace

DeviceInformation::DeviceInformation(Adapter& adapter, PDEVICE_OBJECT physical_device)
    : adapter_(adapter),
      physical_device_(physical_device),
      registry_path_(make_string(adapter.machine(), adapter.hardware().registry_path)),
      resources_(nt::make_resource_list(adapter.machine(), adapter.hardware().memory, adapter.hardware().line)) {}

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

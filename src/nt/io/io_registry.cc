// The registry keys of devices. Page: wdm/nf-wdm-ioopendeviceregistrykey
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_handles.h"
#include "nt/store/key_access.h"
#include "nt/store/registry.h"

using nt::Fn;
using nt::KernelEntry;

namespace {

// Hardware profiles are deprecated, as the page says, and have no keys here.
base::Result<HANDLE> open(nt::Machine& machine, const DEVICE_OBJECT* device, ULONG type, ACCESS_MASK access) {
  if (type != PLUGPLAY_REGKEY_DEVICE && type != PLUGPLAY_REGKEY_DRIVER) {
    return base::Failure(STATUS_INVALID_PARAMETER, "DevInstKeyType is neither the device's nor the driver's key");
  }
  std::u16string path = machine.registry().device_path(device, type == PLUGPLAY_REGKEY_DEVICE);
  if (path.empty()) return base::Failure(STATUS_INVALID_PARAMETER, "this is no physical device object");
  nt::RegistryKey* key = TRY(machine.registry().make_path(path));
  return machine.handles().open_key(*key, nt::key_access(access));
}

}  // namespace

extern "C" {

NTSTATUS IoOpenDeviceRegistryKey(PDEVICE_OBJECT device, ULONG type, ACCESS_MASK access, PHANDLE key) {
  KernelEntry call{Fn::IoOpenDeviceRegistryKey};
  if (nt::lacks_resources(Fn::IoOpenDeviceRegistryKey)) return STATUS_INSUFFICIENT_RESOURCES;
  auto opened = open(call.machine(), device, type, access);
  if (!opened.ok()) return nt::refuse(call.machine(), opened.failure());
  *key = opened.take();
  return STATUS_SUCCESS;
}

}  // extern "C"

// How a display miniport driver registers. Pages: dispmprt/nf-dispmprt-dxgkinitialize,
// nf-dispmprt-dxgkinitializedisplayonlydriver, nf-dispmprt-dxgkuninitialize
#include "dxgk/adapter/kernel.h"
#include "dxgk/ddi/callbacks.h"
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"

using nt::Fn;
using nt::KernelEntry;

namespace {

// The service's name: the last part of its registry path.
std::string service_name(PUNICODE_STRING registry_path) {
  std::string name;
  for (USHORT i = 0; registry_path && i < registry_path->Length / sizeof(WCHAR); ++i) {
    WCHAR character = registry_path->Buffer[i];
    if (character == '\\') {
      name.clear();
    } else {
      name += character < 0x80 ? static_cast<char>(character) : '?';
    }
  }
  return name;
}

// Windows unloads a display driver through the port driver.
VOID unload(PDRIVER_OBJECT object) {
  nt::KernelCode code;
  nt::Machine& machine = *nt::Machine::current();
  if (dxgk::Kernel* kernel = dxgk::Kernel::of(machine)) kernel->unregister_driver(object);
}

NTSTATUS initialize(KernelEntry& call, PDRIVER_OBJECT object, PUNICODE_STRING registry_path,
                    const DRIVER_INITIALIZATION_DATA& table, dxgk::DriverKind kind) {
  dxgk::Kernel* kernel = dxgk::Kernel::of(call.machine());
  if (!kernel) {
    return nt::refuse(call.machine(), base::Failure(STATUS_NOT_SUPPORTED, "this machine has no graphics kernel"));
  }
  auto registered = kernel->register_driver(object, table, kind, service_name(registry_path));
  if (!registered.ok()) return nt::refuse(call.machine(), registered.failure());
  object->DriverUnload = &unload;
  return STATUS_SUCCESS;
}

}  // namespace

extern "C" {

NTSTATUS DxgkInitialize(PDRIVER_OBJECT object, PUNICODE_STRING registry_path, PDRIVER_INITIALIZATION_DATA table) {
  KernelEntry call{Fn::DxgkInitialize};
  if (!object || !table) return STATUS_INVALID_PARAMETER;
  return initialize(call, object, registry_path, *table, dxgk::DriverKind::Full);
}

NTSTATUS DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT object, PUNICODE_STRING registry_path,
                                         PKMDDOD_INITIALIZATION_DATA table) {
  KernelEntry call{Fn::DxgkInitializeDisplayOnlyDriver};
  if (!object || !table) return STATUS_INVALID_PARAMETER;
  return initialize(call, object, registry_path, dxgk::as_full_table(*table), dxgk::DriverKind::DisplayOnly);
}

NTSTATUS DxgkUnInitialize(PDRIVER_OBJECT object) {
  KernelEntry call{Fn::DxgkUnInitialize};
  dxgk::Kernel* kernel = dxgk::Kernel::of(call.machine());
  if (!kernel || !kernel->driver_of(object)) {
    return nt::refuse(call.machine(), base::Failure(STATUS_INVALID_PARAMETER, "the driver is not registered"));
  }
  kernel->unregister_driver(object);
  return STATUS_SUCCESS;
}

}  // extern "C"

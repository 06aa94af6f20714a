// Device stacks, and the names that devices are found by. Pages: wdm/nf-wdm-ioattachdevicetodevicestack,
// nf-wdm-iocreatesymboliclink, nf-wdm-ioregisterdeviceinterface, nf-wdm-iogetdeviceproperty, …
#include <algorithm>

#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/object_references.h"
#include "nt/io/device_names.h"
#include "nt/io/device_objects.h"
#include "nt/mm/pool.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Machine;

namespace {

std::u16string characters_of(const UNICODE_STRING* string) {
  if (!string) return {};
  return {string->Buffer, string->Buffer + string->Length / sizeof(WCHAR)};
}

NTSTATUS status_of(Machine& machine, const base::Result<>& result) {
  return result.ok() ? STATUS_SUCCESS : nt::refuse(machine, result.failure());
}

// A string that the driver frees with RtlFreeUnicodeString.
bool give(Machine& machine, const std::u16string& characters, UNICODE_STRING& string) {
  constexpr uint32_t kStringTag = 0x53757344;  // 'DsuS'
  size_t bytes = characters.size() * sizeof(WCHAR);
  void* memory = machine.pool().allocate(bytes + sizeof(WCHAR), kStringTag, nt::PoolKind::Paged, nt::PoolFill::Zero);
  if (!memory) return false;
  string.Buffer = static_cast<PWSTR>(memory);
  characters.copy(string.Buffer, characters.size());
  string.Length = static_cast<USHORT>(bytes);
  string.MaximumLength = static_cast<USHORT>(bytes + sizeof(WCHAR));
  return true;
}

// A value that does not fit into the buffer is not copied; the length needed is returned in both cases.
NTSTATUS hand_out(Machine& machine, const std::vector<uint8_t>& value, ULONG room, PVOID buffer, PULONG needed) {
  *needed = static_cast<ULONG>(value.size());
  if (value.size() > room) {
    return nt::refuse(machine, base::Failure(STATUS_BUFFER_TOO_SMALL, "the property does not fit into the buffer"));
  }
  std::copy(value.begin(), value.end(), static_cast<uint8_t*>(buffer));
  return STATUS_SUCCESS;
}

}  // namespace

extern "C" {

// NULL when it cannot attach: the page's example is a target that is being unloaded.
PDEVICE_OBJECT IoAttachDeviceToDeviceStack(PDEVICE_OBJECT source, PDEVICE_OBJECT target) {
  KernelEntry call{Fn::IoAttachDeviceToDeviceStack};
  if (nt::lacks_resources(Fn::IoAttachDeviceToDeviceStack)) return nullptr;
  return call.machine().devices().attach(*source, *target);
}

VOID IoDetachDevice(PDEVICE_OBJECT target) {
  KernelEntry call{Fn::IoDetachDevice};
  call.machine().devices().detach(*target);
}

PDEVICE_OBJECT IoGetAttachedDeviceReference(PDEVICE_OBJECT device) {
  KernelEntry call{Fn::IoGetAttachedDeviceReference};
  Machine& machine = call.machine();
  DEVICE_OBJECT* top = machine.devices().top(*device);
  machine.references().take(top, nt::ObjectReferences::kDefaultTag, "IoGetAttachedDeviceReference");
  return top;
}

NTSTATUS IoCreateSymbolicLink(PUNICODE_STRING link, PUNICODE_STRING device) {
  KernelEntry call{Fn::IoCreateSymbolicLink};
  if (nt::lacks_resources(Fn::IoCreateSymbolicLink)) return STATUS_INSUFFICIENT_RESOURCES;
  return status_of(call.machine(), call.machine().device_names().add_link(characters_of(link), characters_of(device)));
}

NTSTATUS IoDeleteSymbolicLink(PUNICODE_STRING link) {
  KernelEntry call{Fn::IoDeleteSymbolicLink};
  return status_of(call.machine(), call.machine().device_names().remove_link(characters_of(link)));
}

NTSTATUS IoRegisterDeviceInterface(PDEVICE_OBJECT device, const GUID* guid, PUNICODE_STRING reference,
                                   PUNICODE_STRING link) {
  KernelEntry call{Fn::IoRegisterDeviceInterface};
  Machine& machine = call.machine();
  auto added = machine.device_names().add_interface(*device, *guid, characters_of(reference));
  if (!added.ok()) return nt::refuse(machine, added.failure());
  if (!give(machine, added.value().link, *link)) return STATUS_INSUFFICIENT_RESOURCES;
  return added.value().existed ? STATUS_OBJECT_NAME_EXISTS : STATUS_SUCCESS;
}

NTSTATUS IoSetDeviceInterfaceState(PUNICODE_STRING link, BOOLEAN enable) {
  KernelEntry call{Fn::IoSetDeviceInterfaceState};
  if (enable && nt::lacks_resources(Fn::IoSetDeviceInterfaceState)) return STATUS_INSUFFICIENT_RESOURCES;
  auto before = call.machine().device_names().enable_interface(characters_of(link), enable != FALSE);
  if (!before.ok()) return nt::refuse(call.machine(), before.failure());
  return enable && before.value() ? STATUS_OBJECT_NAME_EXISTS : STATUS_SUCCESS;
}

NTSTATUS IoGetDeviceProperty(PDEVICE_OBJECT device, DEVICE_REGISTRY_PROPERTY property, ULONG room, PVOID buffer,
                             PULONG needed) {
  KernelEntry call{Fn::IoGetDeviceProperty};
  Machine& machine = call.machine();
  *needed = 0;
  if (nt::lacks_resources(Fn::IoGetDeviceProperty)) return STATUS_INSUFFICIENT_RESOURCES;
  if (property > DevicePropertyContainerID) {
    return nt::refuse(machine, base::Failure(STATUS_INVALID_PARAMETER_2, "no property of a device"));
  }
  auto value = machine.devices().property(device, property);
  if (!value.ok()) return nt::refuse(machine, value.failure());
  return hand_out(machine, value.value(), room, buffer, needed);
}

// The devices are not queried again: the call is in the trace and has no other effect (docs/fidelity.md).
VOID IoInvalidateDeviceState(PDEVICE_OBJECT) { KernelEntry call{Fn::IoInvalidateDeviceState}; }
VOID IoInvalidateDeviceRelations(PDEVICE_OBJECT, DEVICE_RELATION_TYPE) {
  KernelEntry call{Fn::IoInvalidateDeviceRelations};
}

}  // extern "C"

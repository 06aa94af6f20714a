#include "ks/object/dispatch.h"

#include <utility>

#include "ks/device/device.h"
#include "ks/device/system.h"
#include "ks/object/create_name.h"
#include "ks/object/file_node.h"
#include "nt/boundary/refuse.h"
#include "nt/io/file_objects.h"
#include "nt/io/irps.h"

namespace ks {
namespace {

NTSTATUS finish(nt::Machine& machine, IRP& irp, NTSTATUS status) {
  if (status == STATUS_PENDING) return status;
  irp.IoStatus.Status = status;
  machine.irps().complete(irp, IO_NO_INCREMENT);
  return status;
}

// A file directly on the device: its name is a backslash and the reference string of a filter factory.
NTSTATUS create_filter(Device& device, IRP& irp, const FILE_OBJECT& file) {
  nt::Machine& machine = device.machine();
  Holding holding(device.mutex());
  if (device.gone()) return nt::refuse(machine, base::Failure(STATUS_DEVICE_NOT_CONNECTED, "the device is removed"));
  if (!(*device).Started)
    return nt::refuse(machine, base::Failure(STATUS_DEVICE_NOT_READY, "the device is not started"));
  std::u16string_view name(reinterpret_cast<const char16_t*>(file.FileName.Buffer),
                           file.FileName.Length / sizeof(WCHAR));
  if (name.starts_with(u'\\')) name.remove_prefix(1);
  std::u16string_view reference = name.substr(0, name.find(u'\\'));
  FilterFactory* factory = device.find_factory(reference);
  if (!factory) {
    return nt::refuse(machine,
                      base::Failure(STATUS_OBJECT_NAME_NOT_FOUND, "no filter factory has that reference string"));
  }
  if (reference.size() < name.size() && factory->refuses_parameters()) {
    return nt::refuse(machine, base::Failure(STATUS_OBJECT_NAME_INVALID, "the filter factory allows no parameters"));
  }
  return factory->create_filter(irp);
}

void let_go_of_parent(nt::Machine& machine, FILE_OBJECT& file) {
  auto* parent = static_cast<FILE_OBJECT*>(std::exchange(file.FsContext2, nullptr));
  if (parent) System::of(machine)->file_releases().drop(*parent);
}

void end_node(nt::Machine& machine, FILE_OBJECT& file, FileNode& node) {
  file.FsContext = nullptr;
  delete &node;
  let_go_of_parent(machine, file);
}

NTSTATUS create(Device& device, IRP& irp, FILE_OBJECT& file) {
  if (!file.RelatedFileObject) return create_filter(device, irp, file);
  nt::Machine& machine = device.machine();
  FileNode* parent = node_of(file.RelatedFileObject);
  if (!parent)
    return nt::refuse(machine, base::Failure(STATUS_INVALID_PARAMETER, "the related file is none of the class's"));
  if (device.gone()) return nt::refuse(machine, base::Failure(STATUS_DEVICE_NOT_CONNECTED, "the device is removed"));
  auto parsed = parse_create_name(file.FileName);
  if (!parsed.ok()) return nt::refuse(machine, parsed.failure());
  CreateName name = parsed.take();
  // A file keeps the one it was opened relative to: a parent's close comes after its children's.
  FILE_OBJECT& related = *file.RelatedFileObject;
  machine.files().reference(related);
  file.FsContext2 = &related;
  NTSTATUS status = parent->create_child(irp, name.class_id, name.parameters.data(), name.parameters.size());
  if (!NT_SUCCESS(status)) let_go_of_parent(machine, file);
  return status;
}

NTSTATUS close(nt::Machine& machine, IRP& irp, FILE_OBJECT& file) {
  FileNode* node = node_of(&file);
  if (!node) return STATUS_SUCCESS;
  NTSTATUS status = node->close(irp);
  if (status == STATUS_PENDING) return status;
  end_node(machine, file, *node);
  return STATUS_SUCCESS;
}

NTSTATUS run(Device& device, IRP& irp) {
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  switch (at.MajorFunction) {
    case IRP_MJ_CREATE:
      return create(device, irp, *at.FileObject);
    case IRP_MJ_CLOSE:
      return close(device.machine(), irp, *at.FileObject);
    case IRP_MJ_CLEANUP:
      if (FileNode* node = node_of(at.FileObject)) node->cleanup(irp);
      return STATUS_SUCCESS;
    case IRP_MJ_DEVICE_CONTROL: {
      FileNode* node = node_of(at.FileObject);
      irp.IoStatus.Information = 0;
      return node ? node->device_control(irp) : STATUS_INVALID_DEVICE_REQUEST;
    }
    case IRP_MJ_PNP:
      return device.pnp(irp);
    case IRP_MJ_POWER:
      return device.power(irp);
    default:
      return STATUS_INVALID_DEVICE_REQUEST;
  }
}

// The requests that come with every frame: they release no file.
bool streams(const IRP& irp) {
  const IO_STACK_LOCATION& at = *irp.Tail.Overlay.CurrentStackLocation;
  if (at.MajorFunction != IRP_MJ_DEVICE_CONTROL) return false;
  ULONG code = at.Parameters.DeviceIoControl.IoControlCode;
  return code == IOCTL_KS_READ_STREAM || code == IOCTL_KS_WRITE_STREAM;
}

NTSTATUS add_device(DRIVER_OBJECT* driver, DEVICE_OBJECT* physical) {
  nt::Machine& machine = *nt::Machine::current();
  Driver* found = System::of(machine)->driver_of(driver);
  if (!found) return STATUS_NO_SUCH_DEVICE;
  auto device = Device::add(*found, *physical);
  return device.ok() ? STATUS_SUCCESS : nt::refuse(machine, device.failure());
}

void unload(DRIVER_OBJECT* driver) { System::of(*nt::Machine::current())->unregister_driver(*driver); }

}  // namespace

NTSTATUS dispatch(DEVICE_OBJECT* functional, IRP* irp) {
  nt::Machine& machine = *nt::Machine::current();
  Device* device = System::of(machine)->device_of(functional);
  if (!device) return finish(machine, *irp, STATUS_NO_SUCH_DEVICE);
  if (streams(*irp)) return finish(machine, *irp, run(*device, *irp));
  System& system = *System::of(machine);
  NTSTATUS status;
  system.pending().entering(*irp);
  {
    DeferredFileRelease::Request request(system.file_releases());
    status = run(*device, *irp);
  }
  bool completed = system.pending().left(*irp);
  if (status == STATUS_PENDING && completed) complete_pending(*irp);
  return finish(machine, *irp, status);
}

void complete_pending(IRP& irp) {
  nt::Machine& machine = *nt::Machine::current();
  if (System::of(machine)->pending().defer(irp)) return;
  IO_STACK_LOCATION& at = *IoGetCurrentIrpStackLocation(&irp);
  FILE_OBJECT& file = *at.FileObject;
  FileNode* node = node_of(&file);
  if (node && (at.MajorFunction == IRP_MJ_CREATE || at.MajorFunction == IRP_MJ_CLOSE)) {
    bool ends =
        at.MajorFunction == IRP_MJ_CLOSE || (at.MajorFunction == IRP_MJ_CREATE && !NT_SUCCESS(irp.IoStatus.Status));
    node->pended(at.MajorFunction, irp.IoStatus.Status);
    if (ends) end_node(machine, file, *node);
  }
  machine.irps().complete(irp, IO_NO_INCREMENT);
}

void install_dispatch(DRIVER_OBJECT& driver) {
  driver.DriverExtension->AddDevice = add_device;
  driver.DriverUnload = unload;
  for (PDRIVER_DISPATCH& routine : driver.MajorFunction) routine = dispatch;
}

void own_dispatch_routines(nt::Machine& machine) { machine.irps().own_routine(&dispatch); }

}  // namespace ks

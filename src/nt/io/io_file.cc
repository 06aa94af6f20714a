// File objects. Pages: wdm/nf-wdm-iogetrelateddeviceobject, nf-wdm-iogetdeviceobjectpointer
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/lacks_resources.h"
#include "nt/boundary/refuse.h"
#include "nt/ex/kernel_handles.h"
#include "nt/ex/object_references.h"
#include "nt/io/device_names.h"
#include "nt/io/file_objects.h"

using nt::Fn;
using nt::KernelEntry;
using nt::Machine;

namespace {

_OBJECT_TYPE g_file_type{ob::ObjectKind::File};
POBJECT_TYPE g_file = &g_file_type;

std::u16string characters_of(const UNICODE_STRING& string) {
  return {string.Buffer, string.Buffer + string.Length / sizeof(WCHAR)};
}

// The reference that the caller gets is the driver's: ObDereferenceObject gives it back.
base::Result<FILE_OBJECT*> open_for_driver(Machine& machine, const std::u16string& name, ACCESS_MASK access) {
  auto found = TRY(machine.device_names().find(name));
  FILE_OBJECT* file = TRY(machine.files().open({*found.device, nullptr, found.rest, access, KernelMode}));
  machine.references().take(file, nt::ObjectReferences::kDefaultTag, "IoGetDeviceObjectPointer");
  machine.files().dereference(*file);
  return file;
}

}  // namespace

extern "C" {

POBJECT_TYPE* IoFileObjectType = &g_file;

PDEVICE_OBJECT IoGetRelatedDeviceObject(PFILE_OBJECT file) {
  KernelEntry call{Fn::IoGetRelatedDeviceObject};
  return &call.machine().files().target(*file);
}

NTSTATUS IoGetDeviceObjectPointer(PUNICODE_STRING name, ACCESS_MASK access, PFILE_OBJECT* file,
                                  PDEVICE_OBJECT* device) {
  KernelEntry call{Fn::IoGetDeviceObjectPointer};
  if (nt::lacks_resources(Fn::IoGetDeviceObjectPointer)) return STATUS_INSUFFICIENT_RESOURCES;
  auto opened = open_for_driver(call.machine(), characters_of(*name), access);
  if (!opened.ok()) return nt::refuse(call.machine(), opened.failure());
  *file = opened.take();
  *device = &call.machine().files().target(**file);
  return STATUS_SUCCESS;
}

}  // extern "C"

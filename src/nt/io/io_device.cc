// Device objects. Pages: wdm/nf-wdm-iocreatedevice, nf-wdm-iodeletedevice
#include "nt/boundary/kernel_entry.h"
#include "nt/boundary/refuse.h"
#include "nt/io/device_objects.h"

using nt::Fn;
using nt::KernelEntry;

extern "C" {

NTSTATUS IoCreateDevice(PDRIVER_OBJECT driver, ULONG extension_bytes, PUNICODE_STRING name, DEVICE_TYPE type,
                        ULONG characteristics, BOOLEAN exclusive, PDEVICE_OBJECT* device) {
  KernelEntry call{Fn::IoCreateDevice};
  std::u16string characters;
  if (name) characters.assign(name->Buffer, name->Buffer + name->Length / sizeof(WCHAR));
  auto created = call.machine().devices().create(
      {*driver, extension_bytes, characters, type, characteristics, exclusive != FALSE});
  if (!created.ok()) return nt::refuse(call.machine(), created.failure());
  *device = created.take();
  return STATUS_SUCCESS;
}

VOID IoDeleteDevice(PDEVICE_OBJECT device) {
  KernelEntry call{Fn::IoDeleteDevice};
  call.machine().devices().remove(device);
}

}  // extern "C"

// The start of a minidriver: its driver object and its devices. Pages: ks/nf-ks-ksinitializedriver,
// nf-ks-ksadddevice, nf-ks-kscreatedevice, nf-ks-kscompletependingrequest, …
#include <fmt/format.h>

#include "ks/device/device.h"
#include "ks/exports/kernel_entry.h"
#include "ks/object/descriptor_check.h"
#include "ks/object/dispatch.h"
#include "ks/object/file_node.h"
#include "nt/io/irps.h"
#include "nt/machine/driver_scope.h"

using ks::Fn;
using ks::KernelEntry;

extern "C" {

NTSTATUS KsInitializeDriver(PDRIVER_OBJECT driver, PUNICODE_STRING, const KSDEVICE_DESCRIPTOR* descriptor) {
  KernelEntry call{Fn::KsInitializeDriver};
  if (call.lacks_resources()) return STATUS_INSUFFICIENT_RESOURCES;
  for (const ks::Complaint& complaint : ks::judge_device(descriptor))
    call.report_violation(complaint.what, complaint.sentence);
  auto registered = call.system().register_driver(*driver, descriptor, *nt::driver_scope(call.drivers_scope()));
  return registered.ok() ? STATUS_SUCCESS : call.refuse(registered.failure());
}

VOID KsNullDriverUnload(PDRIVER_OBJECT) { KernelEntry call{Fn::KsNullDriverUnload}; }

NTSTATUS KsAddDevice(PDRIVER_OBJECT driver, PDEVICE_OBJECT physical) {
  KernelEntry call{Fn::KsAddDevice};
  ks::Driver* found = call.system().driver_of(driver);
  if (!found) return call.refuse(base::Failure(STATUS_NO_SUCH_DEVICE, "the driver did not call KsInitializeDriver"));
  auto device = ks::Device::add(*found, *physical);
  return device.ok() ? STATUS_SUCCESS : call.refuse(device.failure());
}

NTSTATUS KsDispatchIrp(PDEVICE_OBJECT device, PIRP irp) {
  KernelEntry call{Fn::KsDispatchIrp};
  return ks::dispatch(device, irp);
}

NTSTATUS KsSetMajorFunctionHandler(PDRIVER_OBJECT driver, ULONG major) {
  KernelEntry call{Fn::KsSetMajorFunctionHandler};
  switch (major) {
    case IRP_MJ_CREATE:
    case IRP_MJ_CLOSE:
    case IRP_MJ_FLUSH_BUFFERS:
    case IRP_MJ_DEVICE_CONTROL:
    case IRP_MJ_READ:
    case IRP_MJ_WRITE:
    case IRP_MJ_QUERY_SECURITY:
    case IRP_MJ_SET_SECURITY:
      driver->MajorFunction[major] = ks::dispatch;
      return STATUS_SUCCESS;
    default:
      return call.refuse(base::Failure(STATUS_INVALID_PARAMETER, "the class handles no such major function"));
  }
}

NTSTATUS KsDispatchInvalidDeviceRequest(PDEVICE_OBJECT, PIRP irp) {
  KernelEntry call{Fn::KsDispatchInvalidDeviceRequest};
  irp->IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
  call.machine().irps().complete(*irp, IO_NO_INCREMENT);
  return STATUS_INVALID_DEVICE_REQUEST;
}

VOID KsCompletePendingRequest(PIRP irp) {
  KernelEntry call{Fn::KsCompletePendingRequest};
  ks::complete_pending(*irp);
}

PKSDEVICE KsGetDeviceForDeviceObject(PDEVICE_OBJECT functional) {
  KernelEntry call{Fn::KsGetDeviceForDeviceObject};
  ks::Device* device = call.system().device_of(functional);
  return device ? &**device : nullptr;
}

}  // extern "C"

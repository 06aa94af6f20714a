// What a client asks of an allocator's handle: KSMETHODSETID_StreamAllocator, KSPROPSETID_StreamAllocator,
// KSEVENTSETID_StreamAllocator.
#include "ks/allocator/allocator.h"
#include "ks/allocator/allocator_impl.h"
#include "ks/allocator/framing.h"
#include "ks/exports/function_table.h"
#include "ks/property/automation.h"
#include "nt/boundary/refuse.h"

namespace ks {

// The rows of the tables. Each gets the request's IRP, and with it the file.
struct AllocatorMethods {
  static AllocatorNode& node_behind(IRP& irp) {
    return static_cast<AllocatorNode&>(*node_of(IoGetCurrentIrpStackLocation(&irp)->FileObject));
  }

  static NTSTATUS alloc(IRP* irp, KSIDENTIFIER*, void* data) {
    return node_behind(*irp).alloc_request(*irp, static_cast<void**>(data));
  }

  static NTSTATUS free(IRP* irp, KSIDENTIFIER*, void* data) {
    return node_behind(*irp).free_request(*irp, *static_cast<void**>(data));
  }

  // "This property is accessible only from kernel mode", and "if the allocation pool type can be serviced at
  // DISPATCH_LEVEL".
  static NTSTATUS function_table(IRP* irp, KSIDENTIFIER*, void* data) {
    AllocatorNode& node = node_behind(*irp);
    if (irp->RequestorMode != KernelMode) {
      return nt::refuse(node.impl_->machine,
                        base::Failure(STATUS_ACCESS_DENIED, "the function table is for kernel mode only"));
    }
    if (!serves_dispatch_level(node.framing())) {
      return nt::refuse(node.impl_->machine,
                        base::Failure(STATUS_NOT_SUPPORTED, "pageable frames cannot be had at DISPATCH_LEVEL"));
    }
    *static_cast<KSSTREAMALLOCATOR_FUNCTIONTABLE*>(data) = kFunctionTable;
    irp->IoStatus.Information = sizeof(KSSTREAMALLOCATOR_FUNCTIONTABLE);
    return STATUS_SUCCESS;
  }

  static NTSTATUS status(IRP* irp, KSIDENTIFIER*, void* data) {
    AllocatorNode::Ledger now = node_behind(*irp).ledger();
    *static_cast<KSSTREAMALLOCATOR_STATUS*>(data) = {now.framing, now.outstanding, 0};
    irp->IoStatus.Information = sizeof(KSSTREAMALLOCATOR_STATUS);
    return STATUS_SUCCESS;
  }
};

namespace {

const KSMETHOD_ITEM kMethods[] = {
    DEFINE_KSMETHOD_ITEM(KSMETHOD_STREAMALLOCATOR_ALLOC, KSMETHOD_TYPE_WRITE, &AllocatorMethods::alloc,
                         sizeof(KSMETHOD), sizeof(PVOID), nullptr),
    DEFINE_KSMETHOD_ITEM(KSMETHOD_STREAMALLOCATOR_FREE, KSMETHOD_TYPE_READ, &AllocatorMethods::free, sizeof(KSMETHOD),
                         sizeof(PVOID), nullptr),
};
const KSMETHOD_SET kMethodSets[] = {{&KSMETHODSETID_StreamAllocator, std::size(kMethods), kMethods, 0, nullptr}};

const KSPROPERTY_ITEM kProperties[] = {
    DEFINE_KSPROPERTY_ITEM(KSPROPERTY_STREAMALLOCATOR_FUNCTIONTABLE, &AllocatorMethods::function_table,
                           sizeof(KSPROPERTY), sizeof(KSSTREAMALLOCATOR_FUNCTIONTABLE), nullptr, nullptr, 0, nullptr,
                           nullptr, 0),
    DEFINE_KSPROPERTY_ITEM(KSPROPERTY_STREAMALLOCATOR_STATUS, &AllocatorMethods::status, sizeof(KSPROPERTY),
                           sizeof(KSSTREAMALLOCATOR_STATUS), nullptr, nullptr, 0, nullptr, nullptr, 0),
};
const KSPROPERTY_SET kPropertySets[] = {
    {&KSPROPSETID_StreamAllocator, std::size(kProperties), kProperties, 0, nullptr}};

// KSEVENT_STREAMALLOCATOR_INTERNAL_FREEFRAME "should not be enabled by clients", and the class needs none.
const KSEVENT_ITEM kEvents[] = {
    DEFINE_KSEVENT_ITEM(KSEVENT_STREAMALLOCATOR_FREEFRAME, sizeof(KSEVENTDATA), 0, nullptr, nullptr, nullptr),
};
const KSEVENT_SET kEventSets[] = {{&KSEVENTSETID_StreamAllocator, std::size(kEvents), kEvents}};

// Frames of a driver's allocator never reach user mode; of the default one's the pages do not say so.
base::Result<> judge_requester(const IRP& irp, const AllocatorNode& node) {
  if (irp.RequestorMode != KernelMode && node.drivers_own()) {
    return base::Failure(STATUS_ACCESS_DENIED, "a program asks for frames of a driver's allocator");
  }
  return {};
}

}  // namespace

NTSTATUS AllocatorNode::device_control(IRP& irp) {
  switch (IoGetCurrentIrpStackLocation(&irp)->Parameters.DeviceIoControl.IoControlCode) {
    case IOCTL_KS_METHOD:
      return handle_method_sets(irp, std::size(kMethodSets), kMethodSets);
    case IOCTL_KS_PROPERTY:
      return handle_property_sets(irp, std::size(kPropertySets), kPropertySets);
    case IOCTL_KS_ENABLE_EVENT:
      return handle_event_sets(irp, std::size(kEventSets), kEventSets, impl_->events);
    case IOCTL_KS_DISABLE_EVENT:
      return handle_disable_event(impl_->events, irp);
    default:
      return nt::refuse(impl_->machine,
                        base::Failure(STATUS_INVALID_DEVICE_REQUEST, "no control code for an allocator"));
  }
}

// "returns STATUS_PENDING if no frames are currently available": ksmethod-streamallocator-alloc. Policy: not when none
// is handed out, because then no frame could ever come back.
NTSTATUS AllocatorNode::alloc_request(IRP& irp, void** frame) {
  auto allowed = judge_requester(irp, *this);
  if (!allowed.ok()) return nt::refuse(impl_->machine, allowed.failure());
  if (!impl_->waiting.count()) {
    Taken taken = take();
    if (taken.frame) {
      *frame = taken.frame;
      irp.IoStatus.Information = sizeof(void*);
      return STATUS_SUCCESS;
    }
    if (taken.hopeless) {
      serve_waiting();
      return nt::refuse(impl_->machine,
                        base::Failure(STATUS_INSUFFICIENT_RESOURCES, "the allocator has no frame, and none is out"));
    }
  }
  if (!impl_->waiting.add(irp, frame)) {
    return nt::refuse(impl_->machine, base::Failure(STATUS_CANCELLED, "the request is cancelled, or nobody may wait"));
  }
  serve_waiting();
  return STATUS_PENDING;
}

NTSTATUS AllocatorNode::free_request(const IRP& irp, void* frame) {
  auto allowed = judge_requester(irp, *this);
  if (!allowed.ok()) return nt::refuse(impl_->machine, allowed.failure());
  if (give_back(frame)) return STATUS_SUCCESS;
  return nt::refuse(impl_->machine, base::Failure(STATUS_INVALID_PARAMETER, "that frame is not handed out"));
}

}  // namespace ks

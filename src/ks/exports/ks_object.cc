// The tree of objects, and what an IRP or a file belongs to. Pages: ks/nf-ks-ksgetparent, nf-ks-ksgetfirstchild,
// nf-ks-ksgetnextsibling, nf-ks-ksgetobjectfromfileobject, nf-ks-ksgetpinfromirp, …
#include <fmt/format.h>

#include "ks/device/device.h"
#include "ks/exports/kernel_entry.h"
#include "ks/object/filter.h"
#include "ks/pin/pin.h"

using ks::Fn;
using ks::KernelEntry;

namespace {

// A walk is safe while the mutex is held that keeps the tree as it is: the device's from the device down to the
// filters, the filter's below it.
void judge_walk(const KernelEntry& call, ks::Object& object) {
  bool below_filter = object.type() == KsObjectTypeFilter || object.type() == KsObjectTypePin;
  if (object.control().held()) return;
  call.report_violation(nt::Violation::KsHierarchyWithoutMutex,
                        fmt::format("{} of {} without holding the {}", call.name(), object.name(),
                                    below_filter ? "filter control mutex" : "device mutex"));
}

ks::Object* object_of(const FILE_OBJECT* file) {
  ks::FileNode* node = ks::node_of(file);
  if (!node) return nullptr;
  if (node->kind() == ks::NodeKind::Filter) return static_cast<ks::Filter*>(node);
  if (node->kind() == ks::NodeKind::Pin) return static_cast<ks::Pin*>(node);
  return nullptr;
}

// Of the file that the IRP is for; of a create request, the one that is being made is not in its file yet.
ks::Object* object_of(IRP& irp) {
  FILE_OBJECT* file = IoGetCurrentIrpStackLocation(&irp)->FileObject;
  if (ks::Object* found = object_of(file)) return found;
  return file ? object_of(file->RelatedFileObject) : nullptr;
}

ks::Pin* next_pin_of(ks::Filter& filter, uint32_t id, const ks::Pin* after) {
  ks::PinFactory* factory = filter.pin_factory(id);
  if (!factory) return nullptr;
  bool passed = after == nullptr;
  for (ks::Pin* pin : factory->pins) {
    if (passed) return pin;
    passed = pin == after;
  }
  return nullptr;
}

}  // namespace

extern "C" {

PKSDEVICE KsGetDevice(PVOID body) {
  KernelEntry call{Fn::KsGetDevice};
  ks::Object* object = call.system().object(body, call.name());
  return object ? &*object->device() : nullptr;
}

PVOID KsGetParent(PVOID body) {
  KernelEntry call{Fn::KsGetParent};
  ks::Object* object = call.system().object(body, call.name());
  return object && object->parent() ? object->parent()->body() : nullptr;
}

PVOID KsGetFirstChild(PVOID body) {
  KernelEntry call{Fn::KsGetFirstChild};
  ks::Object* object = call.system().object(body, call.name());
  if (!object) return nullptr;
  judge_walk(call, *object);
  return object->children().empty() ? nullptr : object->children().front()->body();
}

PVOID KsGetNextSibling(PVOID body) {
  KernelEntry call{Fn::KsGetNextSibling};
  ks::Object* object = call.system().object(body, call.name());
  if (!object) return nullptr;
  if (object->parent()) judge_walk(call, *object->parent());
  ks::Object* next = object->next_sibling();
  return next ? next->body() : nullptr;
}

PVOID KsGetObjectFromFileObject(PFILE_OBJECT file) {
  KernelEntry call{Fn::KsGetObjectFromFileObject};
  ks::Object* object = object_of(file);
  return object ? object->body() : nullptr;
}

KSOBJECTTYPE KsGetObjectTypeFromFileObject(PFILE_OBJECT file) {
  KernelEntry call{Fn::KsGetObjectTypeFromFileObject};
  ks::Object* object = object_of(file);
  return object ? object->type() : KsObjectTypeDevice;
}

KSOBJECTTYPE KsGetObjectTypeFromIrp(PIRP irp) {
  KernelEntry call{Fn::KsGetObjectTypeFromIrp};
  ks::Object* object = object_of(*irp);
  return object ? object->type() : KsObjectTypeDevice;
}

PKSFILTER KsGetFilterFromIrp(PIRP irp) {
  KernelEntry call{Fn::KsGetFilterFromIrp};
  ks::Object* object = object_of(*irp);
  if (object && object->type() == KsObjectTypePin) object = object->parent();
  return object && object->type() == KsObjectTypeFilter ? static_cast<PKSFILTER>(object->body()) : nullptr;
}

PKSPIN KsGetPinFromIrp(PIRP irp) {
  KernelEntry call{Fn::KsGetPinFromIrp};
  ks::Object* object = object_of(*irp);
  return object && object->type() == KsObjectTypePin ? static_cast<PKSPIN>(object->body()) : nullptr;
}

ULONG KsFilterGetChildPinCount(PKSFILTER body, ULONG pin_id) {
  KernelEntry call{Fn::KsFilterGetChildPinCount};
  auto* filter = call.system().object_as<ks::Filter>(body, call.name());
  if (!filter) return 0;
  judge_walk(call, *filter);
  ks::PinFactory* factory = filter->pin_factory(pin_id);
  return factory ? static_cast<ULONG>(factory->pins.size()) : 0;
}

PKSPIN KsFilterGetFirstChildPin(PKSFILTER body, ULONG pin_id) {
  KernelEntry call{Fn::KsFilterGetFirstChildPin};
  auto* filter = call.system().object_as<ks::Filter>(body, call.name());
  if (!filter) return nullptr;
  judge_walk(call, *filter);
  ks::Pin* pin = next_pin_of(*filter, pin_id, nullptr);
  return pin ? &**pin : nullptr;
}

PKSPIN KsPinGetNextSiblingPin(PKSPIN body) {
  KernelEntry call{Fn::KsPinGetNextSiblingPin};
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  if (!pin) return nullptr;
  judge_walk(call, pin->filter());
  ks::Pin* next = next_pin_of(pin->filter(), pin->id(), pin);
  return next ? &**next : nullptr;
}

PKSFILTER KsPinGetParentFilter(PKSPIN body) {
  KernelEntry call{Fn::KsPinGetParentFilter};
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  return pin ? &*pin->filter() : nullptr;
}

PDEVICE_OBJECT KsPinGetConnectedPinDeviceObject(PKSPIN body) {
  KernelEntry call{Fn::KsPinGetConnectedPinDeviceObject};
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  return pin && pin->peer_file() ? pin->peer_file()->DeviceObject : nullptr;
}

PFILE_OBJECT KsPinGetConnectedPinFileObject(PKSPIN body) {
  KernelEntry call{Fn::KsPinGetConnectedPinFileObject};
  auto* pin = call.system().object_as<ks::Pin>(body, call.name());
  return pin ? pin->peer_file() : nullptr;
}

}  // extern "C"

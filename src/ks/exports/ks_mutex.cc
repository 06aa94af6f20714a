// The device mutex and the filter control mutex. Pages: stream/mutexes-in-avstream and the three below it.
#include <fmt/format.h>

#include "ks/device/device.h"
#include "ks/exports/kernel_entry.h"
#include "ks/object/filter.h"
#include "ks/pin/pin.h"
#include "ks/stream/processor.h"

using ks::Fn;
using ks::KernelEntry;

namespace {

// The filter of this device whose control mutex the thread holds; null if none.
ks::Filter* controlled(ks::Device& device) {
  for (const auto& factory : device.factories()) {
    for (ks::Object* filter : factory->children()) {
      if (filter->control().held()) return static_cast<ks::Filter*>(filter);
    }
  }
  return nullptr;
}

// A processor of the filter that this thread is in.
bool processing(ks::Filter& filter) {
  if (filter.processor() && filter.processor()->mutex().held()) return true;
  for (const auto& factory : filter.pin_factories()) {
    for (ks::Pin* pin : factory->pins) {
      if (pin->own_processor() && pin->own_processor()->mutex().held()) return true;
    }
  }
  return false;
}

// The filter whose control mutex guards the object: a filter's or a pin's.
ks::Filter* filter_of(const KernelEntry& call, void* body) {
  ks::Object* object = call.system().object(body, call.name());
  if (object && object->type() == KsObjectTypePin) object = object->parent();
  if (object && object->type() == KsObjectTypeFilter) return static_cast<ks::Filter*>(object);
  if (object) {
    call.report_violation(nt::Violation::NotInitialised,
                          fmt::format("{} of {}, which is no filter or pin", call.name(), object->name()));
  }
  return nullptr;
}

void not_held(const KernelEntry& call, const ks::Object& object) {
  call.report_violation(nt::Violation::LockNotHeld,
                        fmt::format("{} of {}, whose mutex this thread does not hold", call.name(), object.name()));
}

}  // namespace

extern "C" {

void KsAcquireDevice(PKSDEVICE body) {
  KernelEntry call{Fn::KsAcquireDevice};
  auto* device = call.system().object_as<ks::Device>(body, call.name());
  if (!device) return;
  if (device->mutex().held()) {
    call.report_violation(nt::Violation::KsDeviceMutexRecursive,
                          fmt::format("{} acquires the device mutex of {}, which this thread holds already",
                                      call.name(), device->name()));
  } else if (ks::Filter* filter = controlled(*device)) {
    call.report_violation(nt::Violation::KsMutexOrder,
                          fmt::format("the device mutex is acquired while the filter control mutex of {} "
                                      "is held",
                                      filter->name()));
  }
  device->mutex().acquire();
}

void KsReleaseDevice(PKSDEVICE body) {
  KernelEntry call{Fn::KsReleaseDevice};
  auto* device = call.system().object_as<ks::Device>(body, call.name());
  if (!device) return;
  if (!device->mutex().held()) return not_held(call, *device);
  device->mutex().release();
}

void KsAcquireControl(PVOID body) {
  KernelEntry call{Fn::KsAcquireControl};
  ks::Filter* filter = filter_of(call, body);
  if (!filter) return;
  if (filter->control().held()) {
    call.report_violation(nt::Violation::KsMutexRecursive,
                          fmt::format("{} acquires the filter control mutex of {}, which this thread holds already",
                                      call.name(), filter->name()));
  } else if (processing(*filter)) {
    call.report_violation(nt::Violation::KsMutexOrder,
                          fmt::format("the filter control mutex of {} is acquired while a processing "
                                      "mutex is held",
                                      filter->name()));
  }
  filter->control().acquire();
}

void KsReleaseControl(PVOID body) {
  KernelEntry call{Fn::KsReleaseControl};
  ks::Filter* filter = filter_of(call, body);
  if (!filter) return;
  if (!filter->control().held()) return not_held(call, *filter);
  filter->control().release();
}

}  // extern "C"

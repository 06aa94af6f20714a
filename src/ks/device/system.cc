#include "ks/device/system.h"

#include <fmt/format.h>

#include <algorithm>

#include "ks/allocator/allocator_registry.h"
#include "ks/allocator/frame_guard.h"
#include "ks/device/device.h"
#include "ks/device/driver.h"
#include "ks/object/dispatch.h"
#include "ks/property/stuck_request.h"
#include "nt/io/irps.h"

namespace ks {

System::System(nt::Machine& machine, const Policy& policy)
    : machine_(machine),
      policy_(policy),
      file_releases_(machine),
      allocators_(std::make_unique<AllocatorRegistry>(machine)) {
  CHECK(!of(machine));
  machine.set_part(this);
  own_dispatch_routines(machine);
  machine.irps().waits().add_explainer(&explain_request);
}

System::~System() {
  devices_.clear();
  FrameGuard::forget_all();  // a run that was stopped leaves frames behind
  machine_.set_part<System>(nullptr);
}

base::Result<> System::register_driver(DRIVER_OBJECT& object, const KSDEVICE_DESCRIPTOR* descriptor, nt::Scope& scope) {
  {
    base::Guard guard(lock_);
    for (const auto& driver : drivers_) {
      if (&driver->object == &object)
        return base::Failure(STATUS_OBJECT_NAME_COLLISION, "the driver is initialised already");
    }
    drivers_.push_back(std::make_unique<Driver>(*this, object, descriptor, scope, scope.name()));
  }
  install_dispatch(object);
  return {};
}

Driver* System::driver_of(const DRIVER_OBJECT* object) {
  base::Guard guard(lock_);
  for (const auto& driver : drivers_) {
    if (&driver->object == object) return driver.get();
  }
  return nullptr;
}

void System::unregister_driver(DRIVER_OBJECT& object) {
  base::Guard guard(lock_);
  std::erase_if(drivers_, [&](const auto& driver) { return &driver->object == &object; });
}

Device* System::device_of(const DEVICE_OBJECT* functional) {
  base::Guard guard(lock_);
  for (const auto& device : devices_) {
    if (&device->functional() == functional) return device.get();
  }
  return nullptr;
}

void System::add(std::unique_ptr<Device> device) {
  base::Guard guard(lock_);
  devices_.push_back(std::move(device));
}

std::unique_ptr<Device> System::remove(Device& device) {
  base::Guard guard(lock_);
  auto found = std::find_if(devices_.begin(), devices_.end(), [&](const auto& each) { return each.get() == &device; });
  CHECK(found != devices_.end());
  std::unique_ptr<Device> removed = std::move(*found);
  devices_.erase(found);
  return removed;
}

std::vector<Device*> System::devices() {
  base::Guard guard(lock_);
  std::vector<Device*> all;
  for (const auto& device : devices_) all.push_back(device.get());
  return all;
}

Object* System::object(const void* body, const char* by) {
  bool closed = false;
  {
    base::Guard guard(lock_);
    auto found = objects_.find(body);
    if (found != objects_.end() && found->second) return found->second;
    closed = found != objects_.end();
  }
  if (closed) {
    machine_.report_violation(nt::Violation::KsObjectUsedAfterClose,
                              fmt::format("{} of an AVStream object that is closed", by));
  } else {
    machine_.report_violation(nt::Violation::NotInitialised,
                              fmt::format("{} of something that is no AVStream object", by));
  }
  return nullptr;
}

void System::publish(Object& object) {
  base::Guard guard(lock_);
  objects_[object.body()] = &object;
}

void System::unpublish(Object& object) {
  base::Guard guard(lock_);
  objects_[object.body()] = nullptr;
}

Bag* System::bag(KSOBJECT_BAG handle, const char* by) {
  bool closed = false;
  {
    base::Guard guard(lock_);
    auto found = bags_.find(handle);
    if (found != bags_.end() && found->second) return found->second;
    closed = found != bags_.end();
  }
  if (closed) {
    machine_.report_violation(nt::Violation::KsObjectUsedAfterClose,
                              fmt::format("{} of the bag of a closed object", by));
  } else {
    machine_.report_violation(nt::Violation::NotInitialised, fmt::format("{} of something that is no object bag", by));
  }
  return nullptr;
}

void System::publish(Bag& bag) {
  base::Guard guard(lock_);
  bags_[bag.handle()] = &bag;
}

void System::unpublish(Bag& bag) {
  base::Guard guard(lock_);
  bags_[bag.handle()] = nullptr;
}

void System::report_wrong_type(const Object& found, const char* by) {
  machine_.report_violation(nt::Violation::NotInitialised,
                            fmt::format("{} of {}, which is another kind of object", by, found.name()));
}

}  // namespace ks

#include "ks/device/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "ks/device/system.h"
#include "ks/exports/callback.h"
#include "ks/object/create_name.h"
#include "nt/io/device_objects.h"

namespace ks {

Device::Device(Driver& driver, DEVICE_OBJECT& physical, DEVICE_OBJECT& functional, std::string name)
    : Object(driver.system, kType, nullptr, driver.scope, nt::ScopeKind::StreamDevice, std::move(name)),
      driver_(driver),
      physical_(&physical),
      functional_(&functional),
      body_(make_body<KSDEVICE>()),
      mutex_(driver.system.machine()) {
  body_->Descriptor = driver.descriptor;
  body_->Bag = bag().handle();
  body_->FunctionalDeviceObject = functional_;
  body_->PhysicalDeviceObject = physical_;
  body_->SystemPowerState = PowerSystemWorking;
  body_->DevicePowerState = PowerDeviceD0;
  bag().guard_with(mutex_);
  system().publish(*this);
}

Device::~Device() = default;

base::Result<Device*> Device::add(Driver& driver, DEVICE_OBJECT& physical) {
  System& system = driver.system;
  nt::Machine& machine = system.machine();
  DEVICE_OBJECT* functional = TRY(machine.devices().create({driver.object, 0, {}, FILE_DEVICE_KS, 0, false}));
  std::string name = driver.devices ? fmt::format("{} #{}", driver.name, driver.devices) : driver.name;
  ++driver.devices;
  std::unique_ptr<Device> made(new Device(driver, physical, *functional, std::move(name)));
  Device& device = *made;
  device.lower_ = machine.devices().attach(*functional, physical);
  device.body_->NextDeviceObject = device.lower_;
  functional->Flags &= ~static_cast<ULONG>(DO_DEVICE_INITIALIZING);
  system.add(std::move(made));
  NTSTATUS status;
  {
    Holding holding(device.mutex_);
    status = device.ask_add();
    if (NT_SUCCESS(status)) status = device.add_described_factories();
  }
  if (!NT_SUCCESS(status)) {
    device.take_down();
    return base::Failure(status, "the driver's Add failed");
  }
  return &device;
}

NTSTATUS Device::add_described_factories() {
  const KSDEVICE_DESCRIPTOR* descriptor = body_->Descriptor;
  for (ULONG i = 0; descriptor && i < descriptor->FilterDescriptorsCount; ++i) {
    auto factory = add_factory({descriptor->FilterDescriptors[i], {}});
    if (!factory.ok()) return factory.failure().code();
  }
  return STATUS_SUCCESS;
}

base::Result<FilterFactory*> Device::add_factory(const FilterFactory::Request& request) {
  FilterFactory::Request named = request;
  if (named.reference.empty() && request.descriptor->ReferenceGuid) {
    named.reference = guid_text(*request.descriptor->ReferenceGuid);
  }
  for (const auto& factory : factories_) {
    if (!factory->freed() && factory->reference() == named.reference) {
      return base::Failure(STATUS_OBJECT_NAME_COLLISION, "another filter factory has that reference string");
    }
  }
  std::string its_name = fmt::format("factory {} of {}", factories_made_++, name());
  factories_.push_back(std::make_unique<FilterFactory>(*this, named, std::move(its_name)));
  return factories_.back().get();
}

void Device::remove_factory(FilterFactory& factory) {
  auto found = std::find_if(factories_.begin(), factories_.end(), [&](auto& each) { return each.get() == &factory; });
  CHECK(found != factories_.end());
  (*found)->end();
  factories_.erase(found);
}

void Device::free_stopped_factories() {
  for (const auto& factory : factories_) {
    if (factory->goes_with_stop()) factory->free();
  }
  remove_freed_factories();
}

void Device::remove_freed_factories() {
  for (size_t i = factories_.size(); i-- > 0;) {
    FilterFactory& factory = *factories_[i];
    if (factory.freed() && factory.children().empty()) remove_factory(factory);
  }
}

FilterFactory* Device::find_factory(std::u16string_view reference) {
  if (reference.empty() && factories_.size() == 1 && !factories_.front()->freed()) return factories_.front().get();
  auto same = [](char16_t a, char16_t b) {
    auto upper = [](char16_t c) { return c >= u'a' && c <= u'z' ? static_cast<char16_t>(c - 32) : c; };
    return upper(a) == upper(b);
  };
  FilterFactory* wildcard = nullptr;
  for (const auto& factory : factories_) {
    const std::u16string& each = factory->reference();
    if (factory->freed()) continue;
    if (std::equal(each.begin(), each.end(), reference.begin(), reference.end(), same)) return factory.get();
    if (factory->is_wildcard()) wildcard = factory.get();
  }
  return wildcard;
}

Bag& Device::make_bag() {
  bags_.push_back(std::make_unique<Bag>(system(), &scope()));
  bags_.back()->guard_with(mutex_);
  return *bags_.back();
}

bool Device::free_bag(Bag& bag) {
  auto found = std::find_if(bags_.begin(), bags_.end(), [&](const auto& each) { return each.get() == &bag; });
  if (found == bags_.end()) return false;
  bag.empty();
  bags_.erase(found);
  return true;
}

void Device::take_down() {
  while (!bags_.empty()) free_bag(*bags_.back());
  while (!factories_.empty()) remove_factory(*factories_.back());
  machine().devices().detach(*lower_);
  machine().devices().remove(functional_);
  std::unique_ptr<Device> self = system().remove(*this);
  retire();
}

}  // namespace ks

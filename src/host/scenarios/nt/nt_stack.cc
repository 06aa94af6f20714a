#include "host/scenarios/nt/nt_stack.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/run/test_device.h"
#include "nt/boundary/driver_call.h"
#include "nt/hardware/resource_list.h"

namespace host {
namespace {

constexpr KIRQL kDeviceIrql = 5;

nt::PnpStack::Identity identity_of(const DriverImage& image) {
  std::string name = image.name();
  return {u"DRYDOCK\\" + std::u16string(name.begin(), name.end()), u"0000", u"Drydock test device", u"System"};
}

// Reads, writes and controls: what a program opens a device for.
bool is_service(UCHAR major) {
  return major == IRP_MJ_READ || major == IRP_MJ_WRITE || major == IRP_MJ_DEVICE_CONTROL ||
         major == IRP_MJ_INTERNAL_DEVICE_CONTROL;
}

}  // namespace

std::string hex(NTSTATUS status) { return fmt::format("0x{:08X}", static_cast<uint32_t>(status)); }

NtStack::~NtStack() {
  remove();
  if (loaded_) driver_.unload();
}

bool NtStack::load() {
  NTSTATUS status = driver_.load();
  if (status < 0) {
    context_.leave_incomplete("DriverEntry failed with " + hex(status));
    return false;
  }
  loaded_ = true;
  if (driver_.object().DriverExtension->AddDevice) return add_device();
  if (!openable().empty()) return true;
  context_.skip("the driver has no AddDevice routine and made no device object with a name");
  return false;
}

bool NtStack::load_pnp() {
  if (!load()) return false;
  if (!bus_) context_.skip("the driver has no AddDevice routine");
  return bus_.has_value();
}

bool NtStack::add_device() {
  nt::PnpStack& bus = bus_.emplace(machine(), identity_of(context_.image));
  if (!bus.physical()) {
    bus_.reset();
    return false;  // an injected failure
  }
  const nt::Device::Range registers{TestDevice::kPhysical, TestDevice::kBytes};
  const nt::InterruptLine line{TestDevice::kVector, kDeviceIrql};
  bus.assign(nt::make_resource_list(machine(), {&registers, 1}, line), line);
  NTSTATUS status = nt::call_driver(machine(), "AddDevice", &driver_.scope(),
                                    driver_.object().DriverExtension->AddDevice, &driver_.object(), bus.physical());
  if (status >= 0 && bus.has_driver()) return true;
  context_.leave_incomplete(status < 0 ? "AddDevice failed with " + hex(status)
                                       : "AddDevice attached no device object to the physical device object");
  bus_.reset();
  return false;
}

bool NtStack::start() {
  if (!loaded_ && !load()) return false;
  if (!bus_) return true;
  note_pnp(bus_->query_id(BusQueryHardwareIDs));
  note_pnp(bus_->filter_resource_requirements());
  NTSTATUS status = note_pnp(bus_->start());
  if (status >= 0) {
    ask_started();
    return true;
  }
  context_.leave_incomplete("the device never started: IRP_MN_START_DEVICE failed with " + hex(status));
  return false;
}

void NtStack::ask_started() {
  note_pnp(bus_->query_capabilities());
  note_pnp(bus_->pnp(IRP_MN_QUERY_PNP_DEVICE_STATE));
  note_pnp(bus_->query_relations(BusRelations));
  note_pnp(bus_->query_relations(TargetDeviceRelation));
  note_pnp(bus_->query_unknown_interface());
  note(IRP_MJ_SYSTEM_CONTROL, bus_->wmi(IRP_MN_REGINFO_EX));
  note(IRP_MJ_SYSTEM_CONTROL, bus_->wmi(IRP_MN_QUERY_ALL_DATA));
}

void NtStack::cycle_power(DEVICE_POWER_STATE low) {
  if (!bus_) return;
  note(IRP_MJ_POWER, bus_->device_power(IRP_MN_QUERY_POWER, low));
  note(IRP_MJ_POWER, bus_->device_power(IRP_MN_SET_POWER, low));
  note(IRP_MJ_POWER, bus_->device_power(IRP_MN_SET_POWER, PowerDeviceD0));
}

void NtStack::remove() {
  if (!bus_) return;
  note_pnp(bus_->pnp(IRP_MN_REMOVE_DEVICE));
  bus_.reset();
}

std::vector<DEVICE_OBJECT*> NtStack::openable() {
  nt::DeviceObjects& devices = machine().devices();
  std::vector<DEVICE_OBJECT*> found, tops;
  auto add = [&](DEVICE_OBJECT& device) {
    DEVICE_OBJECT* top = devices.top(device);
    if (std::find(tops.begin(), tops.end(), top) != tops.end()) return;
    tops.push_back(top);
    found.push_back(&device);
  };
  if (bus_) add(*bus_->physical());
  for (DEVICE_OBJECT* device = driver_.object().DeviceObject; device; device = device->NextDevice) {
    if (!devices.name_of(*device).empty()) add(*device);
  }
  return found;
}

NTSTATUS NtStack::note(UCHAR major, NTSTATUS status) {
  if (!handles(major)) return status;
  ++context_.activity.requests;
  if (is_service(major)) ++(NT_SUCCESS(status) || status == STATUS_CANCELLED ? served_ : refused_);
  return status;
}

void NtStack::judge_requests(Floor floor) {
  if (!handles(IRP_MJ_READ) && !handles(IRP_MJ_WRITE) && !handles(IRP_MJ_DEVICE_CONTROL) &&
      !handles(IRP_MJ_INTERNAL_DEVICE_CONTROL)) {
    context_.skip("the driver has no dispatch routine for reads, writes and controls");
  } else if (served_ + refused_ == 0) {
    context_.leave_incomplete("every attempt to open a device was refused");
  } else if (served_ == 0 && floor == Floor::Served) {
    context_.leave_idle("every request was refused");
  }
}

void NtStack::judge_opened(bool opened) {
  if (!handles(IRP_MJ_CREATE)) {
    context_.skip("the driver has no dispatch routine for IRP_MJ_CREATE");
  } else if (!opened) {
    context_.leave_idle("every attempt to open a device was refused");
  }
}

}  // namespace host

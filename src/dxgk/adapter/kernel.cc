#include "dxgk/adapter/kernel.h"

#include <algorithm>

#include "dxgk/adapter/adapter_hardware.h"
#include "nt/boundary/driver_call.h"
#include "nt/boundary/refuse.h"
#include "nt/machine/driver_scope.h"

namespace dxgk {

Kernel::Kernel(nt::Machine& machine, const Policy& policy)
    : machine_(machine), policy_(policy), acquired_(machine), fences_(machine) {
  machine.set_part(this);
}

// Does not call the drivers. An orderly end has been made before, and a run that was stopped has no thread to call them
// from. Adapters that were never removed lose their threads here, if the machine still runs; their drivers are not
// told.
Kernel::~Kernel() {
  if (base::Executor::current()) {
    for (Adapter* adapter : adapters()) adapter->halt();
  }
  machine_.set_part<Kernel>(nullptr);
}

// --- Drivers ---

base::Result<> Kernel::register_driver(PDRIVER_OBJECT object, const DRIVER_INITIALIZATION_DATA& table, DriverKind kind,
                                       const std::string& name) {
  base::Result<> checked = Driver::check(table, kind);
  if (!checked.ok()) {
    registration_refusal_ = checked.failure().why();
    return checked.failure();
  }
  nt::Scope& scope = *nt::driver_scope(machine_.self().scope);
  base::Guard guard(lock_);
  bool known =
      std::any_of(drivers_.begin(), drivers_.end(), [&](const auto& each) { return each->object() == object; });
  if (known) return base::Failure(STATUS_INVALID_PARAMETER, "the driver is registered already");
  drivers_.push_back(std::make_unique<Driver>(object, table, kind, name, scope));
  return {};
}

Driver* Kernel::driver_of(PDRIVER_OBJECT object) {
  base::Guard guard(lock_);
  auto found =
      std::find_if(drivers_.begin(), drivers_.end(), [&](const auto& each) { return each->object() == object; });
  return found == drivers_.end() ? nullptr : found->get();
}

void Kernel::unregister_driver(PDRIVER_OBJECT object) {
  Driver* driver = driver_of(object);
  if (!driver) return;
  for (Adapter* adapter : adapters()) {
    if (&adapter->driver() == driver) adapter->remove();
  }
  nt::call_driver(machine_, row(Ddi::Unload).name, &driver->scope(), driver->table().DxgkDdiUnload);
  base::Guard guard(lock_);
  auto found = std::find_if(drivers_.begin(), drivers_.end(), [&](const auto& each) { return each.get() == driver; });
  unloaded_.push_back(std::move(*found));
  drivers_.erase(found);
}

// --- Adapters ---

base::Result<Adapter*> Kernel::add_adapter(Driver& driver, const std::string& name, PDEVICE_OBJECT physical_device,
                                           const Adapter::Hardware& hardware) {
  Adapter* adapter;
  {
    base::Guard guard(lock_);
    LUID luid{next_luid_++, 0};
    adapters_.push_back(base::make_ref<Adapter>(*this, driver, name, luid));
    adapter = adapters_.back().get();
  }
  TRY(adapter->add(physical_device, hardware));
  TRY(adapter->start());
  return adapter;
}

std::vector<Adapter*> Kernel::adapters() {
  std::vector<Adapter*> all;
  base::Guard guard(lock_);
  for (const auto& adapter : adapters_) all.push_back(adapter.get());
  return all;
}

Adapter* Kernel::adapter(LUID luid) {
  for (Adapter* adapter : adapters()) {
    if (adapter->luid().LowPart == luid.LowPart && adapter->luid().HighPart == luid.HighPart) return adapter;
  }
  return nullptr;
}

// --- Processes ---

base::Ref<Process> Kernel::create_process(const std::string& name) {
  base::Guard guard(lock_);
  next_process_id_ += 4;  // as Windows counts
  processes_.push_back(base::make_ref<Process>(*this, name, next_process_id_));
  return processes_.back();
}

std::vector<base::Ref<Process>> Kernel::processes() {
  base::Guard guard(lock_);
  return processes_;
}

void Kernel::forget(Process& process) {
  std::vector<base::Ref<Process>> gone;  // released without the lock
  base::Guard guard(lock_);
  for (auto each = processes_.begin(); each != processes_.end(); ++each) {
    if (each->get() != &process) continue;
    gone.push_back(std::move(*each));
    processes_.erase(each);
    return;
  }
}

}  // namespace dxgk

#include "dxgk/object/process.h"

#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/memory/address_space.h"
#include "dxgk/object/device.h"
#include "vidmm/manager/budget.h"

namespace dxgk {

ProcessAdapter::ProcessAdapter(Process& process, Adapter& adapter)
    : process_(process), adapter_(adapter), mutex_(adapter.machine()) {}
ProcessAdapter::~ProcessAdapter() = default;

Process::Process(Kernel& kernel, std::string name, uint32_t id)
    : kernel_(kernel), name_(std::move(name)), id_(id), mutex_(kernel.machine()) {}
Process::~Process() = default;

nt::Machine& Process::machine() { return kernel_.machine(); }

base::Result<base::Ref<ProcessAdapter>> Process::on(Adapter& adapter) {
  ParkingLock lock(mutex_);
  for (const auto& known : adapters_) {
    if (&known->adapter() == &adapter) return known;
  }
  base::Ref<ProcessAdapter> made = TRY(adapter.process_adapter(*this));
  adapters_.push_back(made);
  return made;
}

// Devices first, then what the driver keeps of the process, then the rest of the handles: adapters, mutexes, …
void Process::end() {
  if (ended_.exchange(true)) return;
  for (const auto& on_adapter : adapters_) {
    for (;;) {
      D3DKMT_HANDLE device = 0;
      {
        ParkingLock lock(on_adapter->mutex());
        if (!on_adapter->devices.empty()) device = on_adapter->devices.front()->handle;
      }
      if (!device || !handles_.close_ignore_destroyed<Device>(device).ok()) break;
      ledger_.gone(ob::ObjectKind::Device);
      ledger_.leaked({ob::ObjectKind::Device, device, 0, 0});
    }
    on_adapter->adapter().end_process(*on_adapter);
  }
  adapters_.clear();
  handles_.for_each([this](D3DKMT_HANDLE handle, ob::Object& object) {
    ledger_.gone(object.kind());
    ledger_.leaked({object.kind(), handle, 0, 0});
  });
  handles_.close_all();
  {
    base::Guard guard(kept_lock_);
    kept_.clear();
  }
  kernel_.forget(*this);
}

void Process::keep(Kept memory) {
  base::Guard guard(kept_lock_);
  if (!ended_) kept_.push_back(std::move(memory));
}

}  // namespace dxgk

#include "dxgk/adapter/adapter.h"

#include <fmt/format.h>

#include <algorithm>

#include "dxgk/adapter/adapter_hardware.h"
#include "dxgk/adapter/adapter_interrupts.h"
#include "dxgk/adapter/hardware_watch.h"
#include "dxgk/adapter/kernel.h"
#include "dxgk/adapter/system_devices.h"
#include "dxgk/ddi/driver.h"
#include "dxgk/ddi/driver_names.h"
#include "dxgk/ddi/thread_context.h"
#include "dxgk/memory/mapped_memory.h"
#include "dxgk/memory/video_memory.h"
#include "dxgk/object/device_information.h"
#include "dxgk/object/process.h"
#include "dxgk/object/standard_allocation_registry.h"
#include "dxgk/work/gpu.h"
#include "nt/mm/pool.h"

namespace dxgk {

Adapter::Adapter(Kernel& kernel, Driver& driver, std::string name, LUID luid)
    : kernel_(kernel),
      driver_(driver),
      name_(std::move(name)),
      luid_(luid),
      scope_(nt::ScopeKind::Adapter, name_, &driver.scope()),
      miniport_(kernel.machine(), driver.table()),
      device_handle_(kernel.machine().pool().allocate(1, 0, nt::PoolKind::Internal, nt::PoolFill::Zero)),
      destructions_(kernel.machine()),
      late_releases_(kernel.machine()),
      paging_work_(*this),
      paging_mutex_(kernel.machine()),
      orphan_mutex_(kernel.machine()),
      attach_mutex_(kernel.machine()) {
  CHECK(device_handle_);
  names_ = std::make_unique<DriverNames>(kernel.machine());
  gpu_ = std::make_unique<Gpu>(*this);
  memory_ = std::make_unique<VideoMemory>(*this);
  caps_.version = driver.version();
  caps_.kind = driver.kind();
}

Adapter::~Adapter() = default;

nt::Machine& Adapter::machine() { return kernel_.machine(); }

HANDLE Adapter::system_process() const { return system_ ? system_->process() : nullptr; }
HANDLE Adapter::system_context() const { return system_ ? system_->context() : nullptr; }

bool Adapter::tells_empty_resources() const { return kernel_.policy().empty_resource_destroy; }

base::Result<> Adapter::add(PDEVICE_OBJECT physical_device, const Hardware& hardware) {
  physical_device_ = physical_device;
  hardware_ = std::make_unique<Hardware>(hardware);
  hardware_watch_ = std::make_unique<HardwareWatch>();
  information_ = std::make_unique<DeviceInformation>(*this, physical_device);
  interrupts_ = std::make_unique<AdapterInterrupts>(*this);
  mapped_ = std::make_unique<MappedMemory>(*this);
  standard_allocations_ = std::make_unique<StandardAllocationRegistry>();
  NTSTATUS status = miniport_.call(Ddi::AddDevice, &DRIVER_INITIALIZATION_DATA::DxgkDdiAddDevice, &scope_,
                                   physical_device, &context_);
  if (status < 0) {
    refusal_ = fmt::format("the driver refused the device (DxgkDdiAddDevice): 0x{:08X}", static_cast<uint32_t>(status));
    state_.store(State::Removed, std::memory_order_release);
    machine().end_scope(scope_);
    return base::Failure(status, "the driver refused the device (DxgkDdiAddDevice)");
  }
  talks_.store(true, std::memory_order_release);
  return {};
}

// --- Processes ---

base::Result<base::Ref<ProcessAdapter>> Adapter::process_adapter(Process& process) {
  ParkingLock lock(attach_mutex_);
  if (!started()) return base::Failure(STATUS_DEVICE_REMOVED, "the adapter has been stopped");
  auto made = base::make_ref<ProcessAdapter>(process, *this);
  if (caps_.address_spaces() && miniport_.has(&DRIVER_INITIALIZATION_DATA::DxgkDdiCreateProcess)) {
    made->name_ = names_->issue(DriverNames::Kind::Process, &*made);
    DXGKARG_CREATEPROCESS args{};
    args.hDxgkProcess = made->name_;
    ThreadContext context(&process);
    NTSTATUS status =
        miniport_.call(Ddi::CreateProcess, &DRIVER_INITIALIZATION_DATA::DxgkDdiCreateProcess, &scope_, context_, &args);
    if (status < 0) {
      names_->withdraw(made->name_);
      return base::Failure(status, "the driver refused the process (DxgkDdiCreateProcess)");
    }
    made->driver_process_ = args.hKmdProcess;
  }
  base::Guard guard(lock_);
  processes_.push_back(&*made);
  return made;
}

void Adapter::end_process(ProcessAdapter& process_adapter) {
  memory_->end_process(process_adapter);
  ParkingLock lock(attach_mutex_);
  {
    base::Guard guard(lock_);
    processes_.erase(&process_adapter);
  }
  {
    ParkingLock in_process(process_adapter.mutex());
    tell_end(process_adapter);
  }
}

// With the process's mutex held.
void Adapter::tell_end(ProcessAdapter& process_adapter) {
  if (std::exchange(process_adapter.ended, true)) return;
  if (process_adapter.driver_process_ && talks_to_driver()) {
    ThreadContext context(&process_adapter.process());
    static_cast<void>(miniport_.call(Ddi::DestroyProcess, &DRIVER_INITIALIZATION_DATA::DxgkDdiDestroyProcess, &scope_,
                                     context_, std::exchange(process_adapter.driver_process_, nullptr)));
  }
  if (process_adapter.name_) names_->withdraw(std::exchange(process_adapter.name_, nullptr));
}

std::vector<base::Ref<ProcessAdapter>> Adapter::process_adapters() {
  std::vector<base::Ref<ProcessAdapter>> all;
  base::Guard guard(lock_);
  for (ProcessAdapter* each : processes_) all.push_back(base::Ref<ProcessAdapter>::share(*each));
  return all;
}

void Adapter::add_shared(Resource& resource) {
  base::Guard guard(lock_);
  shared_.add(resource);
}

void Adapter::remove_shared(Resource& resource) {
  base::Guard guard(lock_);
  shared_.remove(resource);
}

// --- Alone ---

Adapter::Alone::Alone(Adapter& adapter) : adapter_(adapter) {
  adapter_.attach_mutex_.lock();
  held_ = adapter_.process_adapters();
  for (const auto& process : held_) process->mutex().lock();
  adapter_.orphan_mutex_.lock();
  adapter_.paging_mutex_.lock();
}

Adapter::Alone::~Alone() {
  adapter_.paging_mutex_.unlock();
  adapter_.orphan_mutex_.unlock();
  for (auto process = held_.rbegin(); process != held_.rend(); ++process) (*process)->mutex().unlock();
  adapter_.attach_mutex_.unlock();
}

}  // namespace dxgk

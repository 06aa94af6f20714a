#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "abi/km/dispmprt.h"
#include "base/ref.h"
#include "base/result.h"
#include "base/roster.h"
#include "dxgk/adapter/adapter_caps.h"
#include "dxgk/ddi/driver_blocks.h"
#include "dxgk/ddi/miniport.h"
#include "dxgk/destroy/destruction_queue.h"
#include "dxgk/destroy/pending_destroys.h"
#include "dxgk/object/shared_resources.h"
#include "dxgk/sync/parking_mutex.h"
#include "dxgk/work/timeline.h"

namespace dxgk {

class AdapterInterrupts;
class Device;
class DeviceInformation;
class Driver;
class DriverNames;
class Gpu;
class HardwareWatch;
class InterruptSink;
class Kernel;
class MappedMemory;
class Process;
class ProcessAdapter;
class Resource;
class StandardAllocationRegistry;
class SystemDevices;
class VideoMemory;

// One graphics adapter and the driver that runs it, from DxgkDdiAddDevice to DxgkDdiRemoveDevice. Owned by the kernel,
// and outlives every object on it.
//
// Levels. The documents sort DDIs by what may run beside them (ddi.def). Level 0: one thread of each process, with that
// process's mutex held (ProcessAdapter). Level 1: one thread in all, with paging_mutex() held. Levels 2 and 3: no other
// thread is in the driver (Alone).
class Adapter final : public base::RefCounted, private Timeline::Listener {
 public:
  enum class State : uint8_t {
    Added,            // DxgkDdiAddDevice has returned
    Started,          // clients may come
    Stopped,          // DxgkDdiStopDevice has returned, or the start was refused
    SurpriseRemoved,  // the hardware is gone: software state goes, registers are not touched
    Removed,          // no DDI any more
  };

  Adapter(Kernel& kernel, Driver& driver, std::string name, LUID luid);
  ~Adapter() override;

  Kernel& kernel() { return kernel_; }
  Driver& driver() { return driver_; }
  nt::Machine& machine();
  Miniport& miniport() { return miniport_; }
  nt::Scope& scope() { return scope_; }
  const std::string& name() const { return name_; }
  LUID luid() const { return luid_; }
  const AdapterCaps& caps() const { return caps_; }
  State state() const { return state_.load(std::memory_order_acquire); }
  bool started() const { return state() == State::Started; }
  // Why it is not, in one sentence; empty while it is.
  const std::string& refusal() const { return refusal_; }
  // The last start failed because of what the driver has filled in or reported. Otherwise a function of the driver
  // failed by itself, which no page forbids.
  bool refused_by_rule() const { return refused_by_rule_; }
  // The driver's own value for the adapter: first argument of every DDI.
  HANDLE context() const { return context_; }
  // Ours, as the driver knows it: first argument of every DxgkCb.
  HANDLE device_handle() const { return device_handle_; }

  // False once the hardware has gone from under a driver that does not know surprise removal (SR-04), or after
  // DxgkDdiStopDevice: nothing more is said to it.
  bool talks_to_driver() const { return talks_.load(std::memory_order_acquire); }
  // Nor will it ever be: Windows restarts the computer under a driver that could not take the surprise.
  bool abandoned() const { return abandoned_; }
  bool tells_empty_resources() const;

  PendingDestroys& leaving_devices() { return leaving_devices_; }
  DestructionQueue& destructions() { return destructions_; }
  LateReleases& late_releases() { return late_releases_; }
  // Paging work that names no device: every allocation's destruction waits for what was queued of it.
  Timeline& paging_work() { return paging_work_; }
  Timeline::Listener& listener() { return *this; }  // for the timelines of devices
  ParkingMutex& paging_mutex() { return paging_mutex_; }
  // Level-0 calls on behalf of no process: what is left of a shared resource.
  ParkingMutex& orphan_mutex() { return orphan_mutex_; }

  // Where work and memory of its GPU are; from the adapter's creation to its end, in use while it is started.
  Gpu& gpu() { return *gpu_; }
  VideoMemory& memory() { return *memory_; }
  DriverNames& names() { return *names_; }
  // The driver's values for what the system has there; null before the start, and where there is none.
  HANDLE system_process() const;
  HANDLE system_context() const;
  // All that have come and not gone.
  std::vector<base::Ref<ProcessAdapter>> process_adapters();

  // The part of a process that concerns this adapter. Made at the first use; ends with end_process().
  base::Result<base::Ref<ProcessAdapter>> process_adapter(Process& process);
  void end_process(ProcessAdapter& process_adapter);
  // Shared resources, from their creation to the last handle: some have no view on any device.
  void add_shared(Resource& resource);
  void remove_shared(Resource& resource);

  // --- Life (adapter_start.cc, adapter_stop.cc) ---
  struct Hardware;  // what the bus found: adapter_hardware.h
  base::Result<> add(PDEVICE_OBJECT physical_device, const Hardware& hardware);
  // The measured order for the driver's declared version and kind; a refusal names the field and undoes what was done.
  base::Result<> start();
  // Every client's objects go first, as on Windows; their handles stay and answer STATUS_DEVICE_REMOVED.
  void stop();
  void remove();
  void surprise_remove();
  // The machine ends: our own threads leave, the driver is told nothing.
  void halt();

  // Of the adapter itself, as around a sleep of the computer or before it is switched off. False when the driver
  // refused.
  bool set_power(DEVICE_POWER_STATE state, POWER_ACTION action);
  // To D3 and back to D0. False when the driver refused one of the two.
  bool power_cycle();
  // The hardware has gone: what D3DKMT answers, and DxgkCbIsDevicePresent.
  bool present() const { return present_.load(std::memory_order_acquire); }

  // --- What the driver's calls (callbacks_*.cc) work on ---
  const Hardware& hardware() const { return *hardware_; }
  AdapterInterrupts& interrupts() { return *interrupts_; }
  DeviceInformation& information() { return *information_; }
  MappedMemory& mapped() { return *mapped_; }
  StandardAllocationRegistry& standard_allocations() { return *standard_allocations_; }
  HardwareWatch& hardware_watch() { return *hardware_watch_; }
  // Is told about the driver's interrupts besides the scheduler: a test. Outlives the adapter; before start().
  void set_interrupt_sink(InterruptSink& sink) { interrupt_sink_ = &sink; }
  InterruptSink* interrupt_sink() const { return interrupt_sink_; }

  // Alone in the driver: levels 2 and 3.
  class [[nodiscard]] Alone {
   public:
    explicit Alone(Adapter& adapter);
    ~Alone();
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

   private:
    Adapter& adapter_;
    std::vector<base::Ref<ProcessAdapter>> held_;
  };

 private:
  friend class AdapterStart;
  // Every client's objects at the driver, then what it keeps of the processes.
  void detach_clients();
  void tell_end(ProcessAdapter& process_adapter);
  void stop_device();
  // The system's objects, the device, its interrupt: the driver has nothing left but its own context.
  void quiesce();
  void tell_surprise();
  // From here on the driver has no reason to touch the hardware.
  void watch_gone_hardware();
  void timeline_moved() override { destructions_.kick(); }

  Kernel& kernel_;
  Driver& driver_;
  const std::string name_;
  const LUID luid_;
  nt::Scope scope_;
  Miniport miniport_;
  AdapterCaps caps_;
  std::atomic<State> state_{State::Added};
  std::string refusal_;
  bool refused_by_rule_ = false;
  HANDLE context_ = nullptr;
  HANDLE device_handle_;  // a block of the machine's: its address is the same in every run
  PDEVICE_OBJECT physical_device_ = nullptr;
  std::unique_ptr<Hardware> hardware_;
  std::unique_ptr<HardwareWatch> hardware_watch_;
  std::unique_ptr<DeviceInformation> information_;
  std::unique_ptr<AdapterInterrupts> interrupts_;
  std::unique_ptr<MappedMemory> mapped_;
  std::unique_ptr<StandardAllocationRegistry> standard_allocations_;
  std::unique_ptr<SystemDevices> system_;
  std::unique_ptr<DriverNames> names_;
  std::unique_ptr<Gpu> gpu_;
  std::unique_ptr<VideoMemory> memory_;
  InterruptSink* interrupt_sink_ = nullptr;
  std::atomic<bool> present_{true};

  DestructionQueue destructions_;
  LateReleases late_releases_;
  Timeline paging_work_;
  ParkingMutex paging_mutex_;
  ParkingMutex orphan_mutex_;
  std::atomic<bool> talks_{false};
  bool abandoned_ = false;  // the driver could not take the surprise: no DDI at all any more
  PendingDestroys leaving_devices_;
  ParkingMutex attach_mutex_;  // held while a process comes or goes, and by Alone
  base::Mutex<base::LockRank::Adapter> lock_;
  SharedResources shared_ GUARDED_BY(lock_);  // each is in use: a handle keeps it
  base::Roster<ProcessAdapter> processes_ GUARDED_BY(lock_);
};

}  // namespace dxgk

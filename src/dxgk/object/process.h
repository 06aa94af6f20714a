#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/ref.h"
#include "base/roster.h"
#include "dxgk/adapter/ledger.h"
#include "dxgk/sync/parking_mutex.h"
#include "ob/handle_table.h"
#include "vidmm/backing/backing.h"

namespace vidmm {
class ProcessMemory;
}

namespace dxgk {

class Adapter;
class AddressSpace;
class Device;
class Kernel;
class Process;

// What one process has on one adapter: its devices, the driver's value for it, and a mutex. The mutex lets one of the
// process's threads at a time into level-0 DDIs and guards the process's objects there. Owned by the process, and by
// its devices.
class ProcessAdapter final : public base::RefCounted {
 public:
  ProcessAdapter(Process& process, Adapter& adapter);
  ~ProcessAdapter() override;

  Process& process() { return process_; }
  Adapter& adapter() { return adapter_; }
  ParkingMutex& mutex() { return mutex_; }
  HANDLE driver_process() const { return driver_process_; }  // of DxgkDdiCreateProcess; null before WDDM 2.0

  // With the mutex held.
  uint32_t next_stamp() { return ++stamp_; }
  base::Roster<Device> devices;
  // What it has of the video memory; made at the first use, under the memory's lock, and gone with end_process().
  std::unique_ptr<AddressSpace> address_space;
  std::unique_ptr<vidmm::ProcessMemory> memory;
  std::map<uint64_t, uint64_t> fence_pages;  // by their physical address: where the GPU finds them
  bool ended = false;                        // the driver has been told, or the adapter is gone

 private:
  friend class Adapter;

  Process& process_;
  Adapter& adapter_;
  ParkingMutex mutex_;
  HANDLE name_ = nullptr;  // hDxgkProcess; null where the driver knows no processes
  HANDLE driver_process_ = nullptr;
  uint32_t stamp_ = 0;
};

// A client process: its handles, and what it uses of every adapter. Owned by the kernel until end(); a caller that
// works for it holds a reference.
class Process final : public base::RefCounted {
 public:
  Process(Kernel& kernel, std::string name, uint32_t id);
  ~Process() override;

  Kernel& kernel() { return kernel_; }
  // Its private data may be wrong on purpose: a driver is not blamed for what it cannot know of them. Said by its owner
  // before its first call.
  void distrust_private_data() { distrusted_ = true; }
  bool distrusted() const { return distrusted_; }
  nt::Machine& machine();
  const std::string& name() const { return name_; }
  uint32_t id() const { return id_; }
  ob::KmtHandleTable& handles() { return handles_; }
  ob::Ordinals& ordinals() { return ordinals_; }
  uint32_t next_creation() { return creations_.fetch_add(1, std::memory_order_relaxed) + 1; }
  Ledger& ledger() { return ledger_; }

  base::Result<base::Ref<ProcessAdapter>> on(Adapter& adapter);

  // Memory that the process has locked when the hardware goes: it stays at its address until the process ends. Any
  // thread.
  struct Kept {
    vidmm::Backing memory;
    std::unique_ptr<vidmm::CpuView> view;  // where the program sees it, if not at its own address
  };
  void keep(Kept memory);

  // The process has died or closes the kernel: everything it has is destroyed, in Windows' order. What was left is in
  // the ledger before. Once; no call is in progress and none follows.
  void end();

 private:
  bool distrusted_ = false;
  Kernel& kernel_;
  const std::string name_;
  const uint32_t id_;
  Ledger ledger_;
  ob::Ordinals ordinals_;
  std::atomic<uint32_t> creations_{0};
  ob::KmtHandleTable handles_;
  ParkingMutex mutex_;  // around adapters_
  std::vector<base::Ref<ProcessAdapter>> adapters_;
  std::atomic<bool> ended_{false};
  base::Mutex<base::LockRank::Table> kept_lock_;
  std::vector<Kept> kept_ GUARDED_BY(kept_lock_);
};

}  // namespace dxgk

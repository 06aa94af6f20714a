#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/ref.h"
#include "base/result.h"
#include "dxgk/adapter/adapter.h"
#include "dxgk/adapter/policy.h"
#include "dxgk/ddi/acquired_handles.h"
#include "dxgk/ddi/driver.h"
#include "dxgk/object/process.h"
#include "dxgk/sync/fences.h"
#include "ob/global_handles.h"
#include "ob/name_space.h"

namespace dxgk {

// The graphics kernel of one machine: drivers, adapters, client processes, and the names under which objects are shared
// between them. Owned by the host; ends, with everything in it, before its machine.
class Kernel {
 public:
  Kernel(nt::Machine& machine, const Policy& policy);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  static constexpr nt::MachinePart kMachinePart = nt::MachinePart::Graphics;
  static Kernel* of(nt::Machine& machine) { return machine.part<Kernel>(); }

  nt::Machine& machine() { return machine_; }
  const Policy& policy() const { return policy_; }
  ob::Ordinals& ordinals() { return ordinals_; }
  ob::GlobalHandles& global_handles() { return global_handles_; }
  ob::NameSpace& names() { return names_; }
  AcquiredHandles& acquired() { return acquired_; }
  Fences& fences() { return fences_; }
  vidsch::SyncLock& sync_lock() RETURN_CAPABILITY(fences_.lock()) { return fences_.lock(); }
  void sample_fences() { fences_.sample(); }

  // --- Drivers: what DxgkInitialize does, and the end of the image ---
  base::Result<> register_driver(PDRIVER_OBJECT object, const DRIVER_INITIALIZATION_DATA& table, DriverKind kind,
                                 const std::string& name);
  Driver* driver_of(PDRIVER_OBJECT object);
  // Why the last driver that tried was not registered; empty if none was refused.
  const char* registration_refusal() const { return registration_refusal_; }
  // The image goes: its adapters are removed, and DxgkDdiUnload is called.
  void unregister_driver(PDRIVER_OBJECT object);

  // --- Adapters ---
  // Adds and starts one. On failure nothing of it is left at the driver and the failure says why; the adapter is on the
  // list, removed, and its refusal() says more.
  base::Result<Adapter*> add_adapter(Driver& driver, const std::string& name, PDEVICE_OBJECT physical_device,
                                     const Adapter::Hardware& hardware);
  std::vector<Adapter*> adapters();  // in the order they came; stopped ones too
  Adapter* adapter(LUID luid);

  // --- Processes ---
  base::Ref<Process> create_process(const std::string& name);
  std::vector<base::Ref<Process>> processes();

 private:
  friend class Process;
  void forget(Process& process);

  nt::Machine& machine_;
  const Policy policy_;
  ob::Ordinals ordinals_;
  ob::GlobalHandles global_handles_;
  ob::NameSpace names_{ob::NameCase::Insensitive};
  AcquiredHandles acquired_;
  Fences fences_;
  base::Mutex<base::LockRank::Table> lock_;
  std::vector<std::unique_ptr<Driver>> drivers_ GUARDED_BY(lock_);
  std::vector<std::unique_ptr<Driver>> unloaded_ GUARDED_BY(lock_);  // clients may still have handles on their adapters
  std::vector<base::Ref<Adapter>> adapters_ GUARDED_BY(lock_);
  std::vector<base::Ref<Process>> processes_ GUARDED_BY(lock_);
  const char* registration_refusal_ = "";
  uint32_t next_process_id_ GUARDED_BY(lock_) = 4;  // the system's own
  uint32_t next_luid_ GUARDED_BY(lock_) = 0x10000;
};

}  // namespace dxgk

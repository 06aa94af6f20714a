#pragma once

#include <string>

#include "abi/um/d3d10umddi.h"
#include "abi/um/d3dumddi.h"
#include "base/mutex.h"
#include "nt/machine/machine.h"
#include "umd/common/handles.h"
#include "umd/common/shared_allocation_counts.h"

namespace umd {

// What a user-mode driver's file exports; null where it does not.
struct Exports {
  PFND3DDDI_OPENADAPTER open_adapter = nullptr;
  PFND3D10DDI_OPENADAPTER open_adapter10 = nullptr;
  PFND3D10DDI_OPENADAPTER open_adapter10_2 = nullptr;
};

// The Direct3D runtime on one machine, and the driver file it has loaded: the handles that drivers hold, and the lock
// of everything that the layer keeps. Owned by the code that runs the machine; one per machine. Any thread.
class Runtime {
 public:
  Runtime(nt::Machine& machine, const Exports& driver, std::string driver_name);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  static constexpr nt::MachinePart kMachinePart = nt::MachinePart::Runtime;
  static Runtime* of(nt::Machine& machine) { return machine.part<Runtime>(); }
  // Of the calling thread's machine.
  static Runtime& current() { return *of(*nt::Machine::current()); }

  nt::Machine& machine() { return machine_; }
  const Exports& driver() const { return driver_; }
  const std::string& driver_name() const { return driver_name_; }

  // Never held while a driver or the kernel is called.
  base::Mutex<base::LockRank::Runtime> lock;
  Handles handles GUARDED_BY(lock);
  SharedAllocationCounts allocation_counts GUARDED_BY(lock);

 private:
  nt::Machine& machine_;
  const Exports driver_;
  const std::string driver_name_;
};

using RuntimeGuard = base::Guard<base::LockRank::Runtime>;

}  // namespace umd

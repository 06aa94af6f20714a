#pragma once

#include <map>
#include <memory>
#include <vector>

#include "abi/km/wdm.h"
#include "base/mutex.h"
#include "base/result.h"
#include "nt/machine/machine_observer.h"
#include "nt/machine/scope.h"
#include "nt/mm/ram.h"

namespace nt {

class Machine;

// What is known of MDLs besides their contents: where they were allocated, which pages they hold, what is mapped. The
// state that drivers may look at (MdlFlags) is in the MDL, as on Windows, so that one made by MmInitializeMdl in the
// driver's own memory is as good as another. There is one address space: mapping an MDL gives the address that its
// pages have. Owned by the machine; any of its threads. Misuse is reported after the lock is released, and changes
// nothing.
class Mdls {
 public:
  explicit Mdls(Machine& machine) : machine_(machine) {}

  // IoAllocateMdl. Null when there is no memory for it.
  MDL* allocate(void* address, size_t bytes);
  void free(MDL* mdl);

  void build_for_nonpaged(MDL& mdl);
  void build_partial(MDL& source, MDL& target, uintptr_t address, size_t bytes);

  // MmProbeAndLockPages after the probe: the pages are there.
  void lock(MDL& mdl, LOCK_OPERATION operation);
  void unlock(MDL& mdl);

  // STATUS_INSUFFICIENT_RESOURCES, or STATUS_INVALID_PARAMETER after a finding.
  base::Result<void*> map(MDL& mdl, MODE mode);
  void unmap(void* address, MDL& mdl);

  // MmAllocatePagesForMdl: the MDL is a block of the driver's pool. Null when there is no memory.
  MDL* allocate_pages(const RamRequest& request);
  void free_pages(MDL& mdl);

 private:
  // Each is made when something is obtained and goes when it is given back.
  struct Allocated {
    Tracked tracked;
    size_t pages;  // that there is room for
  };
  struct Locked {
    Tracked tracked;
    std::vector<uintptr_t> pages;
  };
  struct Mapped {
    Tracked tracked;
    void* address;
  };
  struct State {
    std::unique_ptr<Allocated> allocated;
    std::unique_ptr<Locked> locked;
    std::vector<std::unique_ptr<Mapped>> for_client;  // a client's mapping can be made more than once
    RamBlock* pages = nullptr;
  };

  State* find(const MDL& mdl) REQUIRES(lock_);
  void forget_if_idle(const MDL& mdl) REQUIRES(lock_);
  size_t room_for_pages(const MDL& mdl);
  // Puts the physical addresses of the pages behind `address` into the MDL.
  template <typename PhysicalOf>
  void fill(MDL& mdl, uintptr_t address, PhysicalOf&& physical_of);
  std::string objection_to_building(const MDL& mdl);
  void wrong(Violation what, const std::string& sentence, const Tracked* other = nullptr);

  Machine& machine_;
  base::Mutex<base::LockRank::Pool> lock_;
  std::map<const MDL*, State> states_ GUARDED_BY(lock_);
  std::vector<std::unique_ptr<Locked>> orphans_ GUARDED_BY(lock_);  // locks whose MDL was overwritten
};

}  // namespace nt

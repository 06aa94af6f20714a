#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "abi/km/d3dkmddi.h"
#include "base/mutex.h"

namespace nt {
class Machine;
}

namespace dxgk {

// Values by which a driver names our objects: it is given them as hDxgkProcess, hDevice and hContext, and passes them
// back in DxgkCbCreateContextAllocation and the like. Each is a block of the machine's, so that it is the same in every
// run, and any other value is recognised as no name. Owned by the adapter; any thread.
class DriverNames {
 public:
  enum class Kind : uint8_t { Process, Device, Context, ContextAllocation };

  explicit DriverNames(nt::Machine& machine) : machine_(machine) {}
  ~DriverNames();
  DriverNames(const DriverNames&) = delete;
  DriverNames& operator=(const DriverNames&) = delete;

  HANDLE issue(Kind kind, void* object);
  // Null for what is no name, or the name of something else, or not in use any more.
  void* find(Kind kind, HANDLE name) const;
  template <typename T>
  T* find_as(Kind kind, HANDLE name) const {
    return static_cast<T*>(find(kind, name));
  }
  void withdraw(HANDLE name);
  // What is in use of one kind, in the order of their names.
  std::vector<std::pair<HANDLE, void*>> all(Kind kind) const;

 private:
  struct Named {
    Kind kind;
    void* object;
  };

  nt::Machine& machine_;
  mutable base::Mutex<base::LockRank::Adapter> lock_;
  std::map<HANDLE, Named> names_ GUARDED_BY(lock_);
};

}  // namespace dxgk

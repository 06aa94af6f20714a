#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "nt/machine/scope.h"

namespace nt {

class Machine;

// The references to kernel objects that a driver holds, each with the place that took it. What the kernel itself holds
// is not counted here: a driver that dereferences what it never referenced is wrong even while the kernel keeps the
// object. Owned by the machine; any of its threads, at DISPATCH_LEVEL or below.
class ObjectReferences {
 public:
  static constexpr uint32_t kDefaultTag = 0x746C6644;  // 'tlfD', as documented

  explicit ObjectReferences(Machine& machine) : machine_(machine) {}

  // Both return how many are held now. `by` is the function that the driver called.
  // Violation::NotInitialised when `object` is no object of the kernel.
  size_t take(void* object, uint32_t tag, const char* by);
  // Gives back the latest reference with that tag, or failing that the latest. Violation::ReferenceUnderflow without
  // one.
  size_t drop(void* object, uint32_t tag, const char* by);

 private:
  struct Reference {
    uint32_t tag;
    Tracked tracked;
  };
  using List = std::vector<std::unique_ptr<Reference>>;

  bool known(void* object, const char* by);

  Machine& machine_;
  base::Mutex<base::LockRank::Table> lock_;
  std::unordered_map<void*, List> held_ GUARDED_BY(lock_);  // never walked
};

}  // namespace nt

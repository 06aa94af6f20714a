#include "dxgk/ddi/driver_names.h"

#include "nt/machine/machine.h"
#include "nt/mm/pool.h"

namespace dxgk {

DriverNames::~DriverNames() {
  base::Guard guard(lock_);
  CHECK_MSG(names_.empty(), "an object goes without its name");
}

HANDLE DriverNames::issue(Kind kind, void* object) {
  void* block = machine_.pool().allocate(1, 0, nt::PoolKind::Internal, nt::PoolFill::Zero);
  CHECK(block);
  base::Guard guard(lock_);
  names_.emplace(block, Named{kind, object});
  return block;
}

void* DriverNames::find(Kind kind, HANDLE name) const {
  base::Guard guard(lock_);
  auto found = names_.find(name);
  return found != names_.end() && found->second.kind == kind ? found->second.object : nullptr;
}

std::vector<std::pair<HANDLE, void*>> DriverNames::all(Kind kind) const {
  std::vector<std::pair<HANDLE, void*>> found;
  base::Guard guard(lock_);
  for (const auto& [name, named] : names_) {
    if (named.kind == kind) found.emplace_back(name, named.object);
  }
  return found;
}

void DriverNames::withdraw(HANDLE name) {
  {
    base::Guard guard(lock_);
    CHECK(names_.erase(name) == 1);
  }
  machine_.pool().free(name, 0);
}

}  // namespace dxgk
